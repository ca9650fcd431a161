/**
 * The slab of each node of a geometry image: two parallel planes with the node's triangles between
 * them.
 *
 * T. Larsson, T. Akenine-Moller, "Bounding volume hierarchies of slab cut balls", Computer Graphics
 * Forum 28, 2009: a patch of surface is flat, so a ball bounds it badly. Cut by the slab along the
 * patch's mean normal, it is as thin as the patch in any orientation. Slabs are found by shifts, in
 * an RGBA page packed like the spheres' (grid.ts): a node's slab has its sphere's pixel.
 *
 * A pixel is (u, v, low, high). Z. Cigolle et al., "A Survey of Efficient Representations for
 * Independent Unit Vectors", JCGT 3(2), 2014, section 3.2, "oct":
 *   x = u - 32767, y = v - 32767, z = 32767 - |x| - |y|
 * If z < 0 the lower half is folded out, with sign 0 = 1: x becomes (32767 - |y|) sign x, y becomes
 * (32767 - |x|) sign y. N = (x, y, z) are whole numbers, the normal is n = N / |N|. With c and r
 * the sphere's decoded center and radius the slab is
 *   r (low - 32768) / 32766 <= n . (p - c) <= r (high - 32768) / 32766
 * Every pixel decodes to finite numbers: |x| + |y| + |z| is at least 32767, so N is never 0.
 *
 * Rounding outward. For whole numbers q (sample) and k (center), N . (q - k) is computed exactly,
 * since it is below 2^17 2^17 2^2 = 2^36. In exact arithmetic on the decoded doubles n . (p - c)
 * differs from
 *   step N . (q - k) / |N|
 * by at most the distance's error, `decodeError` (grid.ts). A bound is computed with 4 roundings,
 * enlarged by 8u of itself, and moved outward step by step until the decoded offset holds it. All
 * vertices are between the planes, so the triangles are. As |n . (p - c)| <= r, one step beyond
 * 32767 covers all rounding.
 *
 * Three kinds of normals are tried: the cross product of the node's diagonals; the vector area of
 * the patch, which only its boundary determines; and, up to the level above the quads, the normals
 * of three corners each. The thinnest slab wins.
 */
import { decodeError, type Grid, nodeOffset, type SphereTree, sizeOf } from './grid.ts';
import type { LevelFitter } from './kernel.ts';

const U = 2 ** -53;
/** |x| + |y| + |z| on the octahedron. */
const OCTAHEDRON = 32767;
/** The offset 0, and steps to a radius. */
const ZERO = 32768;
const STEPS = 32766;
const MOST_ON_SIDE = 16;

/** Last decoded normal in whole numbers, not of length 1. */
export const normal = new Float64Array(3);

export function decodeNormal(u: number, v: number): void {
  const x = u - OCTAHEDRON;
  const y = v - OCTAHEDRON;
  const z = OCTAHEDRON - Math.abs(x) - Math.abs(y);
  if (z >= 0) {
    normal[0] = x;
    normal[1] = y;
  } else {
    normal[0] = x < 0 ? Math.abs(y) - OCTAHEDRON : OCTAHEDRON - Math.abs(y);
    normal[1] = y < 0 ? Math.abs(x) - OCTAHEDRON : OCTAHEDRON - Math.abs(x);
  }
  normal[2] = z;
}

/** Signed distance of a plane from the sphere's center, in the unit of `radius`. */
export const decodeOffset = (code: number, radius: number): number => ((code - ZERO) / STEPS) * radius;

/**
 * Writes a node's disk, the part of its ball between its planes, in grid steps: center (moved to
 * the middle of the slab), radius around it, unit normal, half thickness. Every point is within the
 * radius of the center, and within the half thickness along the normal. All is within 2^-48 of
 * `radius`, the ball's.
 */
export function discOf(
  page: Uint16Array,
  slabs: Uint16Array | undefined,
  o: number,
  radius: number,
  disc: Float64Array,
): void {
  let low = -radius;
  let high = radius;
  if (slabs) {
    decodeNormal(slabs[o], slabs[o + 1]);
    low = decodeOffset(slabs[o + 2], radius);
    high = decodeOffset(slabs[o + 3], radius);
  } else {
    normal[0] = normal[1] = 0;
    normal[2] = 1;
  }
  const x = normal[0];
  const y = normal[1];
  const z = normal[2];
  const length = Math.sqrt(x * x + y * y + z * z);
  const middle = (low + high) / 2;
  const nx = x / length;
  const ny = y / length;
  const nz = z / length;
  disc[0] = page[o] + middle * nx;
  disc[1] = page[o + 1] + middle * ny;
  disc[2] = page[o + 2] + middle * nz;
  disc[4] = nx;
  disc[5] = ny;
  disc[6] = nz;
  // Squared distance from height m to the ball's points at height t, which is largest at an end:
  //   r^2 - t^2 + (t - m)^2
  const end = middle > 0 ? low : high;
  disc[3] = Math.sqrt(Math.max(0, radius * radius + middle * middle - 2 * middle * end));
  disc[7] = (high - low) / 2;
}

/** Adds slabs that are made when they are first read: a query by spheres alone reads none. */
export function withSlabs(spheres: Omit<SphereTree, 'slabs'>, make: () => Uint16Array): SphereTree {
  let made: Uint16Array | null = null;
  return {
    ...spheres,
    get slabs() {
      made ??= make();
      return made;
    },
  };
}

/** Makes the slabs now, so that no query has to. */
export function makeSlabs<Group extends { tree: SphereTree }>(groups: readonly Group[]): void {
  for (const { tree } of groups) tree.slabs?.at(0);
}

/** Builds slabs of `count` charts from spheres. The bytes don't depend on `fitter`. */
export function buildSlabs(
  geometry: Uint16Array,
  exponent: number,
  count: number,
  grid: Grid,
  tree: Pick<SphereTree, 'page' | 'radiusSteps'>,
  fitter?: LevelFitter,
): Uint16Array {
  const slabs = new Uint16Array(tree.page.length);
  const samples = geometry.length / count;
  const values = tree.page.length / count;
  const error = decodeError(grid);
  for (let slot = 0; slot < count; slot++) {
    patch.geometry = geometry.subarray(slot * samples, (slot + 1) * samples);
    const page = tree.page.subarray(slot * values, (slot + 1) * values);
    const own = slabs.subarray(slot * values, (slot + 1) * values);
    for (let level = 0; level <= exponent; level++) {
      const step = tree.radiusSteps[level];
      if (fitter?.slabs({ geometry: patch.geometry, exponent, level, page, grid }, step, own)) continue;
      patch.size = sizeOf(exponent);
      patch.span = 1 << (exponent - level);
      for (let row = 0; row < 1 << level; row++) {
        for (let column = 0; column < 1 << level; column++) {
          const o = nodeOffset(exponent, level, row, column);
          patch.first = 3 * patch.span * (row * patch.size + column);
          fit(page, o, page[o + 3] * step, grid.step, error, own);
        }
      }
    }
  }
  return slabs;
}

const patch: { geometry: Uint16Array; size: number; first: number; span: number } = {
  geometry: new Uint16Array(0),
  size: 0,
  first: 0,
  span: 0,
};

function fit(page: Uint16Array, o: number, radius: number, step: number, error: number, slabs: Uint16Array): void {
  const { geometry, size, first, span } = patch;
  const across = 3 * span;
  const down = across * size;
  best.width = Number.POSITIVE_INFINITY;
  best.u = OCTAHEDRON;
  best.v = OCTAHEDRON;
  best.low = 0;
  best.high = 0;
  const [a, b, c, d] = [first, first + across, first + down, first + across + down];
  tryNormal(geometry, d, a, b, c, page, o);
  if (span > 1) {
    findArea();
    tryVector(area[0], area[1], area[2], page, o);
  }
  if (span <= 2) {
    tryNormal(geometry, b, a, c, a, page, o);
    tryNormal(geometry, b, d, c, d, page, o);
    tryNormal(geometry, a, c, d, c, page, o);
    tryNormal(geometry, a, b, d, b, page, o);
  }
  if (best.width === Number.POSITIVE_INFINITY) tryVector(0, 0, 1, page, o);
  slabs[o] = best.u;
  slabs[o + 1] = best.v;
  decodeNormal(best.u, best.v);
  const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const low = (step * best.low) / length - error;
  const high = (step * best.high) / length + error;
  slabs[o + 2] = codeBelow(low - 8 * U * Math.abs(low), radius);
  slabs[o + 3] = 2 * ZERO - codeBelow(-(high + 8 * U * Math.abs(high)), radius);
}

/** Largest code whose offset is at most `offset`, or 1. Offsets of c and 65536 - c are opposite. */
function codeBelow(offset: number, radius: number): number {
  if (!(radius > 0)) return ZERO;
  let code = Math.max(1, Math.min(ZERO, Math.floor((offset / radius) * STEPS) + ZERO));
  while (code > 1 && decodeOffset(code, radius) > offset) code--;
  return code;
}

/** Thinnest slab so far: its code, and the least and largest N . (q - k). */
const best = { width: 0, u: 0, v: 0, low: 0, high: 0 };

function tryNormal(g: Uint16Array, p: number, q: number, r: number, s: number, page: Uint16Array, o: number): void {
  const ux = g[p] - g[q];
  const uy = g[p + 1] - g[q + 1];
  const uz = g[p + 2] - g[q + 2];
  const vx = g[r] - g[s];
  const vy = g[r + 1] - g[s + 1];
  const vz = g[r + 2] - g[s + 2];
  tryVector(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, page, o);
}

function tryVector(x: number, y: number, z: number, page: Uint16Array, o: number): void {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (sum === 0) return;
  let u = (x / sum) * OCTAHEDRON;
  let v = (y / sum) * OCTAHEDRON;
  if (z < 0) {
    const folded = u < 0 ? Math.abs(v) - OCTAHEDRON : OCTAHEDRON - Math.abs(v);
    v = v < 0 ? Math.abs(u) - OCTAHEDRON : OCTAHEDRON - Math.abs(u);
    u = folded;
  }
  const codeU = Math.round(u) + OCTAHEDRON;
  const codeV = Math.round(v) + OCTAHEDRON;
  decodeNormal(codeU, codeV);
  const [nx, ny, nz] = [normal[0], normal[1], normal[2]];
  const { geometry, size, first, span } = patch;
  const offset = nx * page[o] + ny * page[o + 1] + nz * page[o + 2];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let row = 0; row <= span; row++) {
    let at = first + 3 * size * row;
    for (let column = 0; column <= span; column++, at += 3) {
      const height = nx * geometry[at] + ny * geometry[at + 1] + nz * geometry[at + 2];
      if (height < low) low = height;
      if (height > high) high = height;
    }
  }
  const width = (high - low) / Math.sqrt(nx * nx + ny * ny + nz * nz);
  if (!(width < best.width)) return;
  best.width = width;
  best.u = codeU;
  best.v = codeV;
  best.low = low - offset;
  best.high = high - offset;
}

const area = new Float64Array(3);

function findArea(): void {
  const { geometry: g, size, first, span } = patch;
  const stride = Math.max(1, span / MOST_ON_SIDE);
  const [px, py, pz] = [g[first], g[first + 1], g[first + 2]];
  let [sx, sy, sz] = [0, 0, 0];
  let at = first;
  let [x, y, z] = [0, 0, 0];
  for (let side = 0; side < 4; side++) {
    const move = 3 * stride * (side === 0 ? 1 : side === 1 ? size : side === 2 ? -1 : -size);
    for (let i = 0; i < span; i += stride) {
      at += move;
      const dx = g[at] - px;
      const dy = g[at + 1] - py;
      const dz = g[at + 2] - pz;
      sx += y * dz - z * dy;
      sy += z * dx - x * dz;
      sz += x * dy - y * dx;
      x = dx;
      y = dy;
      z = dz;
    }
  }
  area[0] = sx;
  area[1] = sy;
  area[2] = sz;
}
