/** Measures of a placed element of a mesh file, computed only from its triangles. */
import { type MeshFile, wholeMesh } from '../../src/readers/mesh-file.ts';

export interface Measured {
  low: number[];
  high: number[];
  /** Volume that the triangles enclose, if they are closed. */
  volume: number;
  /** Sides of triangles that have no partner the other way round. */
  open: number;
}

/** @param n a node's number; it must be a root */
export function measured(file: MeshFile, n: number): Measured {
  const { positions: p, triangles } = wholeMesh({ ...file, nodes: [{ ...file.nodes[n], parent: -1 }] });
  const corner = (c: number) => [0, 1, 2].map((axis) => p[3 * triangles[c] + axis]);
  let volume = 0;
  const sides = new Map<string, number>();
  for (let t = 0; t < triangles.length; t += 3) {
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [corner(t), corner(t + 1), corner(t + 2)];
    volume += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6;
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[t + k], triangles[t + ((k + 1) % 3)]];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      sides.set(key, (sides.get(key) ?? 0) + (a < b ? 1 : -1));
    }
  }
  const along = (axis: number) => [...p].filter((_, k) => k % 3 === axis);
  const low = [0, 1, 2].map((axis) => Math.min(...along(axis)));
  const high = [0, 1, 2].map((axis) => Math.max(...along(axis)));
  return { low, high, volume, open: [...sides.values()].filter((sum) => sum !== 0).length };
}
