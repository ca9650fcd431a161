/**
 * Numbers points that are equal except for rounding, and pairs of such points. Makes vertices from
 * triangles' corners that only have coordinates. Joins vertices that are close.
 */
import { requireThat } from '../base/require.ts';
import { stir } from './clean.ts';
import { BATCH, PointNumbers } from './point-numbers.ts';
import type { Surface } from './topology.ts';

function emptyHeads(entries: number): Int32Array {
  let size = 16;
  while (size < entries) size *= 2;
  return new Int32Array(size).fill(-1);
}

/** Width of the grid's cells in tolerances: few points are near a side of theirs. */
const CELL = 64;

/**
 * Numbers points from 0. A point within `tolerance` of an earlier one, along each axis, has its
 * number. The numbers depend on the order of the points alone.
 *
 * @param points x, y, z each, finite
 * @param tolerance above 0
 * @param isRound true to join only points whose distance is below the tolerance
 * @returns `of`: the number of each; `first`: the first point of each number
 */
export function weldNear(
  points: Float64Array,
  count: number,
  tolerance: number,
  { isRound = false }: { isRound?: boolean } = {},
): { of: Int32Array; first: Int32Array } {
  const of = new Int32Array(count);
  const first = new Int32Array(count);
  const next = new Int32Array(count);
  const heads = emptyHeads(count);
  const mask = heads.length - 1;
  // Cells are numbered by integers, for any tolerance, however small.
  const extent = points.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const width = CELL * Math.max(tolerance, extent * 2 ** -52);
  const slotOf = (i: number, j: number, k: number): number => hashCell(i, j, k) & mask;
  let numbers = 0;
  const find = (p: number, slot: number): number => {
    for (let n = heads[slot]; n >= 0; n = next[n]) {
      const q = 3 * first[n];
      const isNear =
        Math.abs(points[q] - points[p]) <= tolerance &&
        Math.abs(points[q + 1] - points[p + 1]) <= tolerance &&
        Math.abs(points[q + 2] - points[p + 2]) <= tolerance;
      if (isNear && (!isRound || distanceBetween(points, p, q) < tolerance)) return n;
    }
    return -1;
  };
  for (let v = 0; v < count; v++) {
    const p = 3 * v;
    const [x, y, z] = [points[p], points[p + 1], points[p + 2]];
    const own = slotOf(Math.floor(x / width), Math.floor(y / width), Math.floor(z / width));
    let n = find(p, own);
    for (let corner = 0; corner < 8 && n < 0; corner++) {
      const slot = slotOf(
        Math.floor((x + (corner & 1 ? tolerance : -tolerance)) / width),
        Math.floor((y + (corner & 2 ? tolerance : -tolerance)) / width),
        Math.floor((z + (corner & 4 ? tolerance : -tolerance)) / width),
      );
      if (slot !== own) n = find(p, slot);
    }
    if (n < 0) {
      n = numbers++;
      first[n] = v;
      next[n] = heads[own];
      heads[own] = n;
    }
    of[v] = n;
  }
  return { of, first: first.subarray(0, numbers) };
}

function distanceBetween(points: Float64Array, p: number, q: number): number {
  const [x, y, z] = [points[p] - points[q], points[p + 1] - points[q + 1], points[p + 2] - points[q + 2]];
  return Math.sqrt(x * x + y * y + z * z);
}

export interface Welded<M extends Surface> {
  /** All triangles in their order; those between joined vertices are segments or points. */
  mesh: M;
  /** Maximum distance of a vertex from its old place, rounded up: 0 if none was moved. */
  moved: number;
  /** Vertices that were moved, and triangles that lost their area by that. */
  joined: number;
  collapsed: number;
}

/**
 * Moves each vertex to the first one, in the order of the triangles, that is closer than
 * `distance`, if there is any. None moves farther than that, so rows of close vertices do not run
 * together. `mesh` is not changed.
 */
export function weldMesh<M extends Surface>(mesh: M, distance: number): Welded<M> {
  const { triangles } = mesh;
  const number = new Int32Array(mesh.positions.length / 3).fill(-1);
  const points = new Float64Array(mesh.positions.length);
  let count = 0;
  for (const vertex of triangles) {
    if (number[vertex] >= 0) continue;
    for (let k = 0; k < 3; k++) points[3 * count + k] = mesh.positions[3 * vertex + k];
    number[vertex] = count++;
  }
  const { of, first } = weldNear(points, count, distance, { isRound: true });
  let [moved, joined, collapsed] = [0, 0, 0];
  for (let v = 0; v < count; v++) {
    const off = distanceBetween(points, 3 * v, 3 * first[of[v]]);
    if (off > 0) joined++;
    if (off > moved) moved = off;
  }
  if (joined === 0) return { mesh, moved, joined, collapsed };
  const positions = new Float64Array(3 * first.length);
  for (const [n, p] of first.entries()) for (let k = 0; k < 3; k++) positions[3 * n + k] = points[3 * p + k];
  const corners = triangles.map((vertex) => of[number[vertex]]);
  for (let c = 0; c < corners.length; c += 3) {
    const [a, b, d] = [triangles[c], triangles[c + 1], triangles[c + 2]];
    const isNow = corners[c] === corners[c + 1] || corners[c + 1] === corners[c + 2] || corners[c + 2] === corners[c];
    if (isNow && a !== b && b !== d && d !== a) collapsed++;
  }
  return { mesh: { ...mesh, positions, triangles: corners }, moved: moved * (1 + 2 ** -50), joined, collapsed };
}

/** Options of builds that join close vertices first. */
export interface WeldOptions {
  /** Vertices closer than this become one, before anything else is done. Model units. */
  weld?: number | undefined;
}

interface Recorded {
  options?: Record<string, string | number>;
}

/**
 * The mesh with its close vertices joined, and the options of its build, which record the possible
 * distance from the source. `told` receives the counts.
 */
export function welded<M extends Surface, O extends WeldOptions & Recorded>(
  mesh: M,
  { weld, ...options }: O,
  told?: (found: Welded<M>) => void,
): { mesh: M; options: Omit<O, 'weld'> } {
  if (weld === undefined) return { mesh, options };
  requireThat(typeof weld === 'number' && weld > 0 && weld <= MOST_WELD, 'weld', 'a length above 0', weld);
  const found = weldMesh(mesh, weld);
  told?.(found);
  return { mesh: found.mesh, options: { ...options, options: { ...options.options, weld, welded: found.moved } } };
}

/** Squares of lengths must be numbers. */
export const MOST_WELD = 1e150;

/** Longest distance of a seam's sides, as a part of the diagonal. Wider gaps are holes. */
const WIDEST_SEAM = 2 ** -7;
/** Distances are tried up from this part of the diagonal, each four times the last one. */
const LEAST_SEAM = 2 ** -45;

/**
 * Finds the distance below which joining vertices closes most of a surface's open edges.
 *
 * @param edges the two vertices of each open edge, in the sense of its triangle
 * @param diagonal of the surface
 * @returns `gap`: how far vertices must move; `distance`: a bit more, in two digits; `isClosed`:
 *   the edges that then have a partner; null if none has
 */
export function closingDistance(
  positions: Float64Array,
  edges: readonly (readonly [number, number])[],
  diagonal: number,
): { distance: number; gap: number; isClosed: boolean[] } | null {
  const number = new Map<number, number>();
  for (const vertex of edges.flat()) if (!number.has(vertex)) number.set(vertex, number.size);
  const points = new Float64Array(3 * number.size);
  for (const [vertex, n] of number) for (let k = 0; k < 3; k++) points[3 * n + k] = positions[3 * vertex + k];
  let best: { distance: number; gap: number; isClosed: boolean[]; closed: number } | null = null;
  for (let part = LEAST_SEAM; part <= WIDEST_SEAM; part *= 4) {
    const { of, first } = weldNear(points, number.size, part * diagonal, { isRound: true });
    const joined = edges.map(([a, b]) => [of[number.get(a)!], of[number.get(b)!]] as const);
    // A seam wider than an edge is long closes nothing.
    if (joined.some(([a, b]) => a === b)) break;
    const directions = new Map<string, number[]>();
    for (const [a, b] of joined) {
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      directions.set(key, [...(directions.get(key) ?? []), Math.sign(a - b)]);
    }
    const isClosed = joined.map(([a, b]) => {
      const met = directions.get(a < b ? `${a} ${b}` : `${b} ${a}`)!;
      return met.length === 2 && met[0] !== met[1];
    });
    const closed = isClosed.filter((is) => is).length;
    if (closed <= (best?.closed ?? 0)) continue;
    let moved = 0;
    for (let n = 0; n < of.length; n++) moved = Math.max(moved, distanceBetween(points, 3 * n, 3 * first[of[n]]));
    best = { distance: inTwoDigits(moved), gap: moved, isClosed, closed };
  }
  return best;
}

/** The next number of two digits above a length. */
function inTwoDigits(length: number): number {
  const [digits, exponent] = length.toExponential(1).split('e');
  const rounded = Number(`${digits}e${exponent}`);
  return rounded > length ? rounded : Number(`${Number(digits) * 10 + 1}e${Number(exponent) - 1}`);
}

const coordinates = new Float64Array(3);
const words = new Uint32Array(coordinates.buffer);

function hashCell(i: number, j: number, k: number): number {
  coordinates[0] = i + 0; // -0 + 0 is 0
  coordinates[1] = j + 0;
  coordinates[2] = k + 0;
  let hash = 0;
  for (let w = 0; w < 6; w++) hash = stir(hash, words[w]);
  return hash ^ (hash >>> 16);
}

/** Numbers unordered pairs of whole numbers from 0, in order of first use. */
export class PairNumbers {
  readonly low: Int32Array;
  readonly high: Int32Array;
  count = 0;
  private readonly next: Int32Array;
  private readonly heads: Int32Array;

  constructor(most: number) {
    this.low = new Int32Array(most);
    this.high = new Int32Array(most);
    this.next = new Int32Array(most);
    this.heads = emptyHeads(most);
  }

  of(i: number, j: number): number {
    const low = Math.min(i, j);
    const high = Math.max(i, j);
    const hash = stir(stir(0, low), high);
    const slot = (hash ^ (hash >>> 16)) & (this.heads.length - 1);
    for (let n = this.heads[slot]; n >= 0; n = this.next[n]) if (this.low[n] === low && this.high[n] === high) return n;
    const n = this.count++;
    this.low[n] = low;
    this.high[n] = high;
    this.next[n] = this.heads[slot];
    this.heads[slot] = n;
    return n;
  }
}

/**
 * Merges corners whose coordinates are equal as numbers (0 and -0 are), in the order of first use;
 * the first one's coordinates are kept. It loads some thousands at a time, so that a file of a
 * gigabyte needs no copy.
 *
 * @param load puts x, y, z of `count` corners into `out`; `first` is a triangle's first one
 * @returns x, y, z of vertex v at 3v; three vertex numbers a triangle
 */
export function joinCorners(
  corners: number,
  load: (first: number, count: number, out: Float64Array) => void,
): { positions: Float64Array; triangles: Uint32Array } {
  const triangles = new Uint32Array(corners);
  const points = new Float64Array(3 * Math.min(corners, BATCH));
  // A closed surface has half as many vertices as triangles.
  const numbers = new PointNumbers(Math.ceil(corners / 6), corners);
  for (let first = 0; first < corners; first += BATCH) {
    const count = Math.min(BATCH, corners - first);
    load(first, count, points);
    numbers.add(points, 0, count, triangles, first);
  }
  return { positions: numbers.positions(), triangles };
}
