/** The spheres of one level of the tree as a surface, to look at anywhere. */
import type { Surface } from '../../../mesh/topology.ts';
import type { GeometryImage } from './geometry-image.ts';
import { spheresOfLevel } from './levels.ts';

/** More would be no picture: level 6 of a chart has 4,096 spheres, level 8 has 65,536. */
const DETAIL_LIMITS = [
  { upTo: 4 ** 3, subdivisions: 3 },
  { upTo: 4 ** 5, subdivisions: 2 },
  { upTo: 4 ** 7, subdivisions: 1 },
];

/**
 * Every sphere of `level` as a subdivided octahedron inscribed in it, all in one mesh; coarser
 * where there are many.
 *
 * @throws OptionError when the image has no such level
 */
export function sphereMesh(image: GeometryImage, level: number): Surface {
  const spheres = spheresOfLevel(image, level);
  const count = spheres.length / 4;
  const subdivisions = DETAIL_LIMITS.find(({ upTo }) => count <= upTo)?.subdivisions ?? 0;
  const unit = subdividedOctahedron(subdivisions);
  const positions = new Float64Array(count * unit.positions.length);
  const triangles = new Uint32Array(count * unit.triangles.length);
  for (let i = 0; i < count; i++) {
    const radius = spheres[4 * i + 3];
    const firstPosition = i * unit.positions.length;
    for (let k = 0; k < unit.positions.length; k++) {
      const centre = image.origin[k % 3] + spheres[4 * i + (k % 3)] * image.step;
      positions[firstPosition + k] = centre + radius * unit.positions[k];
    }
    const firstCorner = i * unit.triangles.length;
    for (let k = 0; k < unit.triangles.length; k++) {
      triangles[firstCorner + k] = unit.triangles[k] + firstPosition / 3;
    }
  }
  return { positions, triangles };
}

/** Unit vectors and triangles of an octahedron, each triangle cut into four `times` times. */
function subdividedOctahedron(times: number): { positions: number[]; triangles: number[] } {
  const positions = [1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1];
  let triangles = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5];
  for (let round = 0; round < times; round++) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number): number => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      let m = middles.get(key);
      if (m === undefined) {
        const v = [0, 1, 2].map((k) => positions[3 * a + k] + positions[3 * b + k]);
        const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        m = positions.length / 3;
        positions.push(v[0] / length, v[1] / length, v[2] / length);
        middles.set(key, m);
      }
      return m;
    };
    const finer: number[] = [];
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = triangles.slice(t, t + 3);
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      finer.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
    }
    triangles = finer;
  }
  return { positions, triangles };
}
