/**
 * Proves in two passes over the triangles, most often for nearly all vertices, that the triangles
 * around a vertex meet in their common edges alone.
 *
 * Let each edge at a vertex v have two triangles that run through it in opposite directions, and n
 * be any vector. All triangles (v, a, b) around v are to turn the same way as seen along n:
 *   n . ((a - v) x (b - v)) > 0
 * Projected along n, the cone of each at v is then a sector of less than half a turn, and where one
 * ends another one begins. So every direction, but for the sectors' borders, is in equally many
 * sectors. If that is one, the sectors overlap in borders alone, those of common edges, and the
 * cones share what is above them. Neighbors that are folded onto each other turn different ways.
 *
 * Let s be a linear function that is 0 along n. Once in each turn it stops being negative, so the
 * number of sectors in each direction is that of the triangles with
 *   s(a - v) < 0 <= s(b - v)
 * With n = (i, j, k), s(x, y, z) is k y - j z or k x - i z. This is exactly 0 at n, however n was
 * rounded. n is the sum of the triangles' unit normals, in single precision.
 *
 * Rounding, e = 2^-53. The first product is a sum of six products of an exact number and two
 * differences, each through at most 7 roundings, so the bounds of orient.ts hold. Each product of s
 * has 3. TINY outweighs underflow; overflow and what is not a number fail every comparison.
 */
import { TINY } from '../geometry/orient.ts';

const ERROR = 9 * 2 ** -53;
const ERROR_ALONG = 8 * 2 ** -53;

/** States of a vertex: no sector begins yet where s stops being negative, one does, or unproved. */
const NONE = 0;
const ONE = 1;
const OPEN = 2;

/**
 * @param isIrregular by vertex: 1 if an edge at the vertex does not have two triangles of opposite
 *   directions. Receives 0 for vertices whose stars are proved to be simple, otherwise a number
 *   above 0
 */
export function proveStars(positions: Float64Array, corners: Uint32Array, isIrregular: Uint8Array): void {
  const normals = sumsOfNormals(positions, corners);
  const states = isIrregular;
  for (let v = 0; v < states.length; v++) if (states[v] !== 0) states[v] = OPEN;
  for (let c = 0; c < corners.length; c += 3) {
    const [v, a, b] = [corners[c], corners[c + 1], corners[c + 2]];
    readNormal(positions, 3 * v, 3 * a, 3 * b);
    turnAbout(positions, normals, states, v, a, b);
    turnAbout(positions, normals, states, a, b, v);
    turnAbout(positions, normals, states, b, v, a);
  }
  for (let v = 0; v < states.length; v++) states[v] = states[v] === ONE ? 0 : 1;
}

/** x, y, z of a triangle's normal, and of the sums of the sizes that cancelled in them. */
const normal = new Float64Array(6);

function readNormal(p: Float64Array, v: number, a: number, b: number): void {
  const ax = p[a] - p[v];
  const ay = p[a + 1] - p[v + 1];
  const az = p[a + 2] - p[v + 2];
  const bx = p[b] - p[v];
  const by = p[b + 1] - p[v + 1];
  const bz = p[b + 2] - p[v + 2];
  const yz = ay * bz;
  const zy = az * by;
  const zx = az * bx;
  const xz = ax * bz;
  const xy = ax * by;
  const yx = ay * bx;
  normal[0] = yz - zy;
  normal[1] = zx - xz;
  normal[2] = xy - yx;
  normal[3] = Math.abs(yz) + Math.abs(zy) + TINY;
  normal[4] = Math.abs(zx) + Math.abs(xz) + TINY;
  normal[5] = Math.abs(xy) + Math.abs(yx) + TINY;
}

function sumsOfNormals(positions: Float64Array, corners: Uint32Array): Float32Array {
  const sums = new Float32Array(positions.length);
  for (let c = 0; c < corners.length; c += 3) {
    readNormal(positions, 3 * corners[c], 3 * corners[c + 1], 3 * corners[c + 2]);
    const x = normal[0];
    const y = normal[1];
    const z = normal[2];
    const scale = 1 / Math.sqrt(x * x + y * y + z * z);
    for (let k = c; k < c + 3; k++) {
      const at = 3 * corners[k];
      sums[at] += x * scale;
      sums[at + 1] += y * scale;
      sums[at + 2] += z * scale;
    }
  }
  return sums;
}

/** Adds the triangle (v, a, b), whose normal was read. */
function turnAbout(p: Float64Array, normals: Float32Array, states: Uint8Array, v: number, a: number, b: number): void {
  if (states[v] === OPEN) return;
  const at = 3 * v;
  const i = normals[at];
  const j = normals[at + 1];
  const k = normals[at + 2];
  const turn = i * normal[0] + j * normal[1] + k * normal[2];
  const size = Math.abs(i) * normal[3] + Math.abs(j) * normal[4] + Math.abs(k) * normal[5];
  // The axis of s besides z.
  const isY = Math.abs(i) <= Math.abs(j) || Math.abs(i) <= Math.abs(k);
  const across = isY ? at + 1 : at;
  const m = isY ? j : i;
  const sideA = sideOf(k, p[3 * a + across - at] - p[across], m, p[3 * a + 2] - p[at + 2]);
  const sideB = sideOf(k, p[3 * b + across - at] - p[across], m, p[3 * b + 2] - p[at + 2]);
  if (!(turn > ERROR * size + TINY) || sideA === UNKNOWN || sideB === UNKNOWN) states[v] = OPEN;
  else if (sideA < 0 && sideB >= 0) states[v] = states[v] === NONE ? ONE : OPEN;
}

const UNKNOWN = 2;

/** The sign of k y - j z. */
function sideOf(k: number, y: number, j: number, z: number): number {
  const left = k * y;
  const right = j * z;
  const error = ERROR_ALONG * (Math.abs(left) + Math.abs(right)) + TINY;
  if (left - right > error) return 1;
  if (left - right < -error) return -1;
  return (k === 0 || y === 0) && (j === 0 || z === 0) ? 0 : UNKNOWN;
}
