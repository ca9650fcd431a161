/**
 * Cuts a polygon of n vertices in space into exactly n - 2 triangles, for any shape.
 *
 * A convex polygon becomes a fan from its first vertex. Any other one is projected along its Newell
 * normal and triangulated by earcut, or by a sweep if earcut could take long. (The normal:
 * Sutherland, Sproull and Schumacker, "A Characterization of Ten Hidden-Surface Algorithms", 1974,
 * section on planar equations.) Only diagonals are used. Earcut drops collinear and coincident
 * vertices and gives up on tangled outlines. But in either case diagonals do not cross in the
 * cyclic order of the vertices. These diagonals split the polygon into faces, and a face of more
 * than three vertices is fanned. So there are always n - 2 triangles. Every side of the polygon
 * belongs to one of them, every diagonal to two, and all have the polygon's orientation.
 *
 * Findings contain triangle numbers, so earcut remains in use where its time is bounded: up to
 * 4,096 vertices, and up to 32,768 if along either axis no more than 64 pairs of sides a vertex
 * overlap. Within these bounds a spiral of 4,096 takes 0.8 s and a crescent of 32,768 takes 1.2 s.
 * A tight spiral of 8,000 with a long tail, made to be slow, takes 6 s. Beyond them, a comb of 10^5
 * high teeth would take 43 s. A spiral of 16,000 that winds 500 times would take a minute. Teeth
 * overlap along one axis only, so both count. The crescent has six pairs a vertex and takes
 * quadratic time, so the number of vertices counts, too. The sweep takes a tenth of a second for
 * 10^5 vertices.
 *
 * Convex, with the Newell normal N and rounding noise in coordinates, means: The reflex corners
 * dent the outline by no more than 2^-20 of its extent, all dents added up. The fan's triangles
 * that face away from N have no more than 2^-20 of its area. The second clause excludes outlines
 * that wind more than once, and long flat bays of very many vertices. A polygon without area has no
 * normal, is convex by this rule, and becomes a fan.
 */
import earcut, { deviation } from 'earcut';
import { monotoneDiagonals } from './monotone.ts';

/** Smaller relative dents and flipped areas are noise, as of six printed digits. */
const NOISE = 2 ** -20;

/** Smaller outlines go to earcut unchecked: it takes less than 1 ms even for a tangle. */
const SMALL = 64;

const FEW = 4096;
const MOST = 32_768;
const MOST_OVERLAPS = 64;

/** Coordinates of the current polygon, from its first vertex, three a vertex; grown on demand. */
let local = new Float64Array(12);

/**
 * Triangulates one polygon of at least three corners.
 *
 * @param positions x, y, z of vertex v at 3v; finite
 * @param corners vertex numbers; the polygon's are `corners[first]` to `corners[first + size - 1]`
 * @param out receives 3 (size - 2) vertex numbers from `at` on
 * @example const quad = new Float64Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
 *          const out = new Uint32Array(6);
 *          triangulatePolygon(quad, new Uint32Array([0, 1, 2, 3]), 0, 4, out, 0); // out: 0 1 2, 0 2 3
 */
export function triangulatePolygon(
  positions: Float64Array,
  corners: Uint32Array,
  first: number,
  size: number,
  out: Uint32Array,
  at: number,
): void {
  const diagonals = size === 3 || isConvex(positions, corners, first, size) ? null : diagonalsOf(size);
  if (diagonals !== null) {
    writeFaces(diagonals, corners, first, size, out, at);
    return;
  }
  for (let k = 1; k < size - 1; k++) {
    out[at++] = corners[first];
    out[at++] = corners[first + k];
    out[at++] = corners[first + k + 1];
  }
}

/**
 * Cuts a polygon with holes into n + 2 h - 2 triangles, by earcut alone.
 *
 * @param rings vertex numbers of the outline, then of each hole, in either direction
 * @returns three vertex numbers a triangle; null for rings that earcut does not cut whole, since
 *   they cross or degenerate, and for more than 4,096 vertices
 */
export function cutWithHoles(positions: Float64Array, rings: readonly Uint32Array[]): Uint32Array | null {
  const corners = Uint32Array.from(rings.flatMap((ring) => Array.from(ring)));
  if (corners.length > FEW || rings.some(({ length }) => length < 3)) return null;
  // Loads the outline alone, for its normal.
  isConvex(positions, corners, 0, rings[0].length);
  if (nx === 0 && ny === 0 && nz === 0) return null;
  load(positions, corners, 0, corners.length);
  const outline = project(corners.length);
  const holes: number[] = [];
  for (let k = 1, start = rings[0].length; k < rings.length; start += rings[k++].length) holes.push(start);
  const ears = earcut(outline, holes);
  if (ears.length !== 3 * (corners.length + 2 * holes.length - 2)) return null;
  if (!(deviation(outline, holes, 2, ears) <= NOISE)) return null;
  const area = (i: number, j: number, k: number): number =>
    (outline[2 * j] - outline[2 * i]) * (outline[2 * k + 1] - outline[2 * i + 1]) -
    (outline[2 * j + 1] - outline[2 * i + 1]) * (outline[2 * k] - outline[2 * i]);
  let sum = 0;
  for (let t = 0; t < ears.length; t += 3) sum += area(ears[t], ears[t + 1], ears[t + 2]);
  // The outline runs around its normal, whose largest coordinate `project` drops.
  const up = [nx, ny, nz].reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most));
  const isTurned = sum > 0 !== up > 0;
  return Uint32Array.from(ears, (_, c) => corners[ears[isTurned && c % 3 > 0 ? c + 3 - 2 * (c % 3) : c]]);
}

/** The Newell normal of the polygon in `local`; its length is twice the area. */
let nx = 0;
let ny = 0;
let nz = 0;

function isConvex(positions: Float64Array, corners: Uint32Array, first: number, size: number): boolean {
  const extent = load(positions, corners, first, size);
  const last = 3 * (size - 1);
  nx = ny = nz = 0;
  for (let i = 3; i < last; i += 3) {
    nx += local[i + 1] * local[i + 5] - local[i + 2] * local[i + 4];
    ny += local[i + 2] * local[i + 3] - local[i] * local[i + 5];
    nz += local[i] * local[i + 4] - local[i + 1] * local[i + 3];
  }
  const square = nx * nx + ny * ny + nz * nz;

  let flipped = 0;
  for (let i = 3; i < last; i += 3) {
    const along =
      nx * (local[i + 1] * local[i + 5] - local[i + 2] * local[i + 4]) +
      ny * (local[i + 2] * local[i + 3] - local[i] * local[i + 5]) +
      nz * (local[i] * local[i + 4] - local[i + 1] * local[i + 3]);
    if (along < 0) flipped -= along;
  }
  if (flipped > NOISE * square) return false;

  let dents = 0;
  let a = last;
  for (let b = 0; b <= last; b += 3) {
    const c = b === last ? 0 : b + 3;
    const ux = local[b] - local[a];
    const uy = local[b + 1] - local[a + 1];
    const uz = local[b + 2] - local[a + 2];
    const vx = local[c] - local[b];
    const vy = local[c + 1] - local[b + 1];
    const vz = local[c + 2] - local[b + 2];
    const turn = nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx);
    if (turn < 0) {
      const chord = (ux + vx) * (ux + vx) + (uy + vy) * (uy + vy) + (uz + vz) * (uz + vz);
      dents -= turn / Math.sqrt(chord * square);
    }
    a = b;
  }
  return dents <= NOISE * extent;
}

/**
 * The first vertex moves to the origin. A power of two scales coordinates whose fourth powers could
 * leave the range of doubles. Returns the largest coordinate.
 */
function load(positions: Float64Array, corners: Uint32Array, first: number, size: number): number {
  if (local.length < 3 * size) local = new Float64Array(6 * size);
  let largest = 0;
  for (let k = 0; k < size; k++) {
    const v = 3 * corners[first + k];
    largest = Math.max(largest, Math.abs(positions[v]), Math.abs(positions[v + 1]), Math.abs(positions[v + 2]));
  }
  let scale = 1;
  while (largest * scale > 1e30) scale *= 2 ** -64;
  while (largest * scale < 1e-30 && scale < 2 ** 960) scale *= 2 ** 64;

  const origin = 3 * corners[first];
  const ox = positions[origin] * scale;
  const oy = positions[origin + 1] * scale;
  const oz = positions[origin + 2] * scale;
  let extent = 0;
  for (let k = 0; k < size; k++) {
    const v = 3 * corners[first + k];
    const x = positions[v] * scale - ox;
    const y = positions[v + 1] * scale - oy;
    const z = positions[v + 2] * scale - oz;
    local[3 * k] = x;
    local[3 * k + 1] = y;
    local[3 * k + 2] = z;
    extent = Math.max(extent, Math.abs(x), Math.abs(y), Math.abs(z));
  }
  return extent;
}

/** Pairs i < j, unsorted, some twice; null for outlines so tangled that a fan is as good. */
function diagonalsOf(size: number): number[] | null {
  const outline = project(size);
  if (size > SMALL && isTangled(outline, size)) return null;
  if (size > FEW && !isQuick(outline, size)) return monotoneDiagonals(outline);
  const ears = earcut(outline);
  const diagonals: number[] = [];
  for (let t = 0; t < ears.length; t += 3) {
    for (let e = 0; e < 3; e++) {
      const i = Math.min(ears[t + e], ears[t + ((e + 1) % 3)]);
      const j = Math.max(ears[t + e], ears[t + ((e + 1) % 3)]);
      if (j - i > 1 && j - i < size - 1) diagonals.push(i, j);
    }
  }
  return diagonals;
}

/** Moves vertices along the normal into the coordinate plane most nearly perpendicular to it. */
function project(size: number): Float64Array {
  const outline = new Float64Array(2 * size);
  const ax = Math.abs(nx);
  const ay = Math.abs(ny);
  const az = Math.abs(nz);
  const drop = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  const u = (drop + 1) % 3;
  const v = (drop + 2) % 3;
  const normal = [nx, ny, nz];
  const slopeU = normal[u] / normal[drop];
  const slopeV = normal[v] / normal[drop];
  for (let k = 0; k < size; k++) {
    const depth = local[3 * k + drop];
    outline[2 * k] = local[3 * k + u] - depth * slopeU;
    outline[2 * k + 1] = local[3 * k + v] - depth * slopeV;
  }
  return outline;
}

/**
 * True if an outline meets itself so often that earcut would take more than quadratic time: n/16
 * crossings, or 4n touches (holes joined by bridges have about n). For 10,000 vertices that wind
 * seven times, earcut takes ten seconds and more. Edges are swept along the axis on which they are
 * short. An outline that exceeds the budget of a thousand pairs an edge without these counts as
 * untangled.
 */
function isTangled(outline: Float64Array, size: number): boolean {
  let spanU = 0;
  let spanV = 0;
  for (let k = 0; k < size; k++) {
    const n = k + 1 === size ? 0 : k + 1;
    spanU += Math.abs(outline[2 * n] - outline[2 * k]);
    spanV += Math.abs(outline[2 * n + 1] - outline[2 * k + 1]);
  }
  const sweep = spanU <= spanV ? 0 : 1;
  const other = 1 - sweep;
  const end = (edge: number) => (edge + 1 === size ? 0 : edge + 1);
  const low = (edge: number, axis: number) => Math.min(outline[2 * edge + axis], outline[2 * end(edge) + axis]);
  const high = (edge: number, axis: number) => Math.max(outline[2 * edge + axis], outline[2 * end(edge) + axis]);
  const side = (i: number, j: number, k: number) =>
    Math.sign(
      (outline[2 * j] - outline[2 * i]) * (outline[2 * k + 1] - outline[2 * i + 1]) -
        (outline[2 * j + 1] - outline[2 * i + 1]) * (outline[2 * k] - outline[2 * i]),
    );
  const starts = Float64Array.from({ length: size }, (_, edge) => low(edge, sweep));
  const order = Uint32Array.from({ length: size }, (_, edge) => edge);
  order.sort((a, b) => starts[a] - starts[b] || a - b);
  // In sweep order, since these numbers alone exclude most pairs.
  const begins = Float64Array.from(order, (edge) => starts[edge]);
  const bottoms = Float64Array.from(order, (edge) => low(edge, other));
  const tops = Float64Array.from(order, (edge) => high(edge, other));

  let budget = 1000 * size;
  let crossings = 0;
  let touches = 0;
  for (let m = 0; m < size; m++) {
    const a = order[m];
    const a1 = end(a);
    const reach = high(a, sweep);
    const bottom = bottoms[m];
    const top = tops[m];
    for (let k = m + 1; k < size && begins[k] <= reach; k++) {
      if (--budget < 0) return false;
      if (bottoms[k] > top || tops[k] < bottom) continue;
      const b = order[k];
      const b1 = end(b);
      if (b === a1 || b1 === a) continue;
      const across = side(a, a1, b) * side(a, a1, b1);
      const along = side(b, b1, a) * side(b, b1, a1);
      if (across > 0 || along > 0) continue;
      if (across < 0 && along < 0) crossings++;
      else touches++;
      if (16 * crossings > size || touches > 4 * size) return true;
    }
  }
  return false;
}

/** True if earcut surely takes little time for an outline above SMALL. */
function isQuick(outline: Float64Array, size: number): boolean {
  const most = MOST_OVERLAPS * size;
  return size <= MOST && overlaps(outline, size, 0) <= most && overlaps(outline, size, 1) <= most;
}

function overlaps(outline: Float64Array, size: number, axis: number): number {
  const begins = new Float64Array(size);
  const ends = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const from = outline[2 * k + axis];
    const to = outline[2 * (k + 1 === size ? 0 : k + 1) + axis];
    begins[k] = Math.min(from, to);
    ends[k] = Math.max(from, to);
  }
  begins.sort();
  ends.sort();
  let pairs = 0;
  let ended = 0;
  for (let m = 0; m < size; m++) {
    while (ends[ended] < begins[m]) ended++;
    pairs += m - ended;
  }
  return pairs;
}

/**
 * Writes the faces between non-crossing diagonals as fans. Sorted by start, then by descending end,
 * a diagonal comes before all inside it. The face just inside diagonal (i, j) is a walk from i to j
 * along the longest other diagonals; between equal diagonals nothing is left. Going backwards
 * through that order gives a fan in its usual order.
 */
function writeFaces(
  diagonals: number[],
  corners: Uint32Array,
  first: number,
  size: number,
  out: Uint32Array,
  at: number,
): void {
  const keys = new Float64Array(diagonals.length / 2 + 1);
  for (let k = 1; k < keys.length; k++) keys[k] = diagonals[2 * k - 2] * size + (size - 1 - diagonals[2 * k - 1]);
  keys.sort(); // keys[0] is 0: the side (0, size - 1), which holds the whole polygon
  const starts = Uint32Array.from(keys, (key) => Math.floor(key / size));
  const ends = Uint32Array.from(keys, (key, d) => size - 1 - (key - starts[d] * size));
  const longest = new Int32Array(size).fill(-1);
  for (let d = starts.length - 1; d >= 0; d--) longest[starts[d]] = d;
  for (let d = starts.length - 1; d >= 0; d--) {
    const i = starts[d];
    const j = ends[d];
    let here = starts[d + 1] === i ? ends[d + 1] : i + 1;
    while (here < j) {
      const next = longest[here] < 0 ? here + 1 : ends[longest[here]];
      out[at++] = corners[first + i];
      out[at++] = corners[first + here];
      out[at++] = corners[first + next];
      here = next;
    }
  }
}
