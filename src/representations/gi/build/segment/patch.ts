/**
 * A region of a surface with its own numbers, with the data for cutting it: fans, lengths, creases,
 * areas.
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { gather, localTwins, numberFans } from './regions.ts';

/** Numbers start at 0: triangles ascend as in the mesh, with half-edge 3t + k. */
export interface Patch {
  source: Int32Array;
  twin: Int32Array;
  fan: Int32Array;
  isInner: Uint8Array;
  /** Per half-edge; lengths and areas are those of the patch at about unit size. */
  length: Float64Array;
  /** Extra distance across each edge, for its crease. */
  crease: Float64Array;
  area: Float64Array;
  middle: Float64Array;
  /** See `grow`; not 0. */
  bucketWidth: number;
}

/** Extra distance across a crease of angle a, times (1 - cos a), so that cells end there. */
const CREASE = 4;

/** Range of distances in a bucket, relative to the mean edge. */
const BUCKET = 0.25;

/** Larger regions are tried with one density only, and moved less. */
export const MANY = 50_000;

export function createPatch(mesh: ManifoldMesh, triangles: Int32Array): Patch {
  const source = Int32Array.from(triangles).sort();
  const twin = localTwins(mesh, source);
  const { fan, isInner } = numberFans(twin);
  const count = source.length;
  const length = new Float64Array(3 * count);
  const crease = new Float64Array(3 * count);
  const area = new Float64Array(count);
  const middle = new Float64Array(3 * count);
  const normal = new Float64Array(3 * count);
  const p = unitPositions(mesh, source);
  for (let t = 0; t < count; t++) {
    const a = 9 * t;
    const b = a + 3;
    const c = a + 6;
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const wx = vx - ux;
    const wy = vy - uy;
    const wz = vz - uz;
    length[3 * t] = Math.sqrt(ux * ux + uy * uy + uz * uz);
    length[3 * t + 1] = Math.sqrt(wx * wx + wy * wy + wz * wz);
    length[3 * t + 2] = Math.sqrt(vx * vx + vy * vy + vz * vz);
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const twice = Math.sqrt(nx * nx + ny * ny + nz * nz);
    area[t] = twice / 2;
    if (twice > 0) {
      normal[3 * t] = nx / twice;
      normal[3 * t + 1] = ny / twice;
      normal[3 * t + 2] = nz / twice;
    }
    for (let k = 0; k < 3; k++) middle[3 * t + k] = (p[a + k] + p[b + k] + p[c + k]) / 3;
  }
  for (let h = 0; h < 3 * count; h++) {
    const g = twin[h];
    if (g < h) continue;
    const i = 3 * ((h / 3) | 0);
    const j = 3 * ((g / 3) | 0);
    const dx = middle[i] - middle[j];
    const dy = middle[i + 1] - middle[j + 1];
    const dz = middle[i + 2] - middle[j + 2];
    const cosine = normal[i] * normal[j] + normal[i + 1] * normal[j + 1] + normal[i + 2] * normal[j + 2];
    const way = Math.sqrt(dx * dx + dy * dy + dz * dz);
    crease[h] = crease[g] = CREASE * (1 - Math.min(1, cosine)) * way;
  }
  let total = 0;
  for (let h = 0; h < 3 * count; h++) total += length[h];
  const bucketWidth = total > 0 ? (BUCKET * total) / (3 * count) : 1;
  return { source, twin, fan, isInner, length, crease, area, middle, bucketWidth };
}

/** Triangle corners, 9 numbers each, scaled to be squared: the largest is 1 unless all are 0. */
function unitPositions(mesh: ManifoldMesh, source: Int32Array): Float64Array {
  const corners = new Float64Array(9 * source.length);
  let largest = 0;
  for (let t = 0; t < source.length; t++) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * mesh.triangles[3 * source[t] + k];
      for (let axis = 0; axis < 3; axis++) {
        const x = mesh.positions[v + axis];
        corners[9 * t + 3 * k + axis] = x;
        if (Math.abs(x) > largest) largest = Math.abs(x);
      }
    }
  }
  if (largest > 0) for (let i = 0; i < corners.length; i++) corners[i] /= largest;
  return corners;
}

export function partOf(mesh: ManifoldMesh, patch: Patch, part: Int32Array): Patch {
  return createPatch(
    mesh,
    Int32Array.from(part, (t) => patch.source[t]),
  );
}

export function split(patch: Patch, label: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (let t = 0; t < label.length; t++) sizes[label[t]]++;
  return gather(label, patch.source, sizes);
}

/** V - E + F of every cell. */
export function eulerOfCells({ twin, fan, isInner }: Patch, label: Int32Array, count: number): Float64Array {
  const euler = new Float64Array(count);
  const labelOf = new Int32Array(isInner.length).fill(-1);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    if (twin[h] < 0 || label[(twin[h] / 3) | 0] !== own) euler[own] += 0.5;
    const f = fan[h];
    if (labelOf[f] === -1) labelOf[f] = own;
    else if (labelOf[f] !== own) labelOf[f] = -2;
  }
  for (let t = 0; t < label.length; t++) euler[label[t]] -= 0.5;
  for (let f = 0; f < isInner.length; f++) if (isInner[f] === 1 && labelOf[f] >= 0) euler[labelOf[f]]++;
  return euler;
}
