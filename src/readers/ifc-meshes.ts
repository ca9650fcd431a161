/** The meshes of an IFC file's elements: welded, joined, and one where several elements show the same. */
import type { Pose } from '../math/pose.ts';
import { identity } from '../math/pose.ts';
import { weld } from '../mesh/clean.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/transform.ts';
import type { EnginePart } from './ifc-engine.ts';

/** Numbers of a vertex of the engine. */
const STRIDE = 6;

/** Collects meshes, each once. */
export class ElementMeshes {
  readonly meshes: Mesh[] = [];
  /** The numbers of meshes by a hash of what they hold. */
  private readonly byHash = new Map<number, number[]>();

  /**
   * An element. One part keeps the frame that the engine gave it, which others share; several are joined where
   * they stand.
   */
  add(parts: readonly EnginePart[]): { mesh: number; matrix: Pose } {
    const meshes = parts.map(weldedMesh);
    if (parts.length === 1) return { mesh: this.numberOf(meshes[0]), matrix: rowMajor(parts[0].matrix) };
    const placed = meshes.map((mesh, k) => transformMesh(mesh, rowMajor(parts[k].matrix)));
    return { mesh: this.numberOf(joined(placed)), matrix: identity() };
  }

  private numberOf(mesh: Mesh): number {
    const hash = hashOf(mesh);
    const alike = this.byHash.get(hash) ?? [];
    const found = alike.find((number) => isSame(this.meshes[number], mesh));
    if (found !== undefined) return found;
    this.byHash.set(hash, [...alike, this.meshes.length]);
    return this.meshes.push(mesh) - 1;
  }
}

/** The engine gives every corner a vertex of its own; those at one place, to the bit, become one. */
function weldedMesh({ vertices, indices: triangles }: EnginePart): Mesh {
  const count = vertices.length / STRIDE;
  const all = new Float64Array(3 * count);
  // A zero has one sign, so that equal meshes are equal to the bit.
  for (let v = 0; v < count; v++) for (let k = 0; k < 3; k++) all[3 * v + k] = vertices[STRIDE * v + k] + 0;
  const { representative } = weld({ positions: all, triangles });
  const numbers = new Int32Array(count).fill(-1);
  const positions: number[] = [];
  const turned = triangles.map((corner) => {
    const first = representative[corner];
    if (numbers[first] < 0)
      numbers[first] = positions.push(all[3 * first], all[3 * first + 1], all[3 * first + 2]) / 3 - 1;
    return numbers[first];
  });
  const mesh = { positions: Float64Array.from(positions), triangles: turned, groups: [] };
  if (sixfoldVolume(mesh) < 0) turnRound(turned);
  return mesh;
}

/**
 * Of a closed mesh; positive where its triangles face outward, as the solids of IFC do. What the engine
 * mirrors it also turns round, once or twice, and we place meshes by matrices that do that themselves.
 */
function sixfoldVolume({ positions: p, triangles }: Mesh): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const x = p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1];
    const y = p[b + 2] * p[c] - p[b] * p[c + 2];
    const z = p[b] * p[c + 1] - p[b + 1] * p[c];
    sum += p[a] * x + p[a + 1] * y + p[a + 2] * z;
  }
  return sum;
}

function turnRound(triangles: Uint32Array): void {
  for (let t = 0; t < triangles.length; t += 3)
    [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
}

function joined(parts: readonly Mesh[]): Mesh {
  const sum = (key: 'positions' | 'triangles'): number => parts.reduce((total, part) => total + part[key].length, 0);
  const positions = new Float64Array(sum('positions'));
  const triangles = new Uint32Array(sum('triangles'));
  let [vertex, corner] = [0, 0];
  for (const part of parts) {
    positions.set(part.positions, 3 * vertex);
    triangles.set(
      part.triangles.map((v) => v + vertex),
      corner,
    );
    vertex += part.positions.length / 3;
    corner += part.triangles.length;
  }
  return { positions, triangles, groups: [] };
}

const rowMajor = (m: Float64Array): Pose => Float64Array.from(m, (_, k) => m[4 * (k % 4) + Math.floor(k / 4)] + 0);

const wordsOf = ({ positions }: Mesh): Uint32Array =>
  new Uint32Array(positions.buffer, positions.byteOffset, 2 * positions.length);

function hashOf(mesh: Mesh): number {
  let hash = mesh.triangles.length;
  for (const words of [wordsOf(mesh), mesh.triangles])
    for (const word of words) hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15);
  return hash;
}

function isSame(a: Mesh, b: Mesh): boolean {
  const isEqual = (p: Uint32Array, q: Uint32Array): boolean =>
    p.length === q.length && p.every((word, k) => word === q[k]);
  return isEqual(a.triangles, b.triangles) && isEqual(wordsOf(a), wordsOf(b));
}
