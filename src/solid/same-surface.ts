/**
 * Decides if two surfaces are equal, or equal but inside out, in any triangulation, in linear time.
 *
 * The sum of a surface's oriented triangles is a chain. If the difference of two chains is 0, the
 * surfaces wind about every point equally often. The following steps decide that, since in a plane,
 * and on a line, a bounded chain without a border is 0 (A. Hatcher, "Algebraic Topology", 2002,
 * chapter 2):
 *
 * 1. The difference is 0 if its part in every plane is, which holds if that part's border is 0.
 * 2. The border is 0 if its part on every line is, which holds if that part's ends cancel.
 * 3. So count for every point p, every line through p, and every plane through the line: the sides
 *   in that plane and on that line that end at p, minus those that begin there.
 *
 * The counts for one point belong to corners of its own triangles, which are few. Signs of
 * orient.ts decide which of them share a line and a plane. Triangles without area do not count.
 */
import { orient2d, orient3d } from '../geometry/orient.ts';
import { weld } from '../mesh/clean.ts';
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import { nextInTriangle, previousInTriangle } from '../mesh/topology.ts';
import { isFull, movedVertices, type PlacedBody, volumeIn } from './solid.ts';

/** Relative difference of two volumes that poses and rounding may cause. */
const LIKE = 1e-3;
/** Average comparisons per end of a side; vertices with thousands of sides need more. */
const MOST_COMPARISONS = 64;

/** @returns false also if undecided: for surfaces with vertices of very many triangles */
export function haveOneSurface(a: PlacedBody, b: PlacedBody): boolean {
  if (!isFull(a) || !isFull(b)) return false;
  const [p, q] = [volumeIn(a.body), volumeIn(b.body)];
  if (Math.abs(Math.abs(p) - Math.abs(q)) > LIKE * Math.abs(p)) return false;
  const [vertices, others] = [movedVertices(a), movedVertices(b)];
  const [trianglesA, trianglesB] = [a.body.surface.triangles, b.body.surface.triangles];
  if (!areEqual(boxOf(vertices, trianglesA), boxOf(others, trianglesB))) return false;
  if (areEqual(trianglesA, trianglesB) && areEqual(vertices, others)) return true;
  const surface = put(vertices, trianglesA, others, trianglesB);
  return cancels(surface, trianglesA.length, p > 0 === q > 0 ? -1 : 1);
}

function areEqual(p: ArrayLike<number>, q: ArrayLike<number>): boolean {
  if (p.length !== q.length) return false;
  if (p === q) return true;
  for (let k = 0; k < p.length; k++) if (p[k] !== q[k]) return false;
  return true;
}

function put(p: Float64Array, a: Uint32Array, q: Float64Array, b: Uint32Array): Surface {
  const positions = new Float64Array(p.length + q.length);
  positions.set(p);
  positions.set(q, p.length);
  const triangles = new Uint32Array(a.length + b.length);
  triangles.set(a);
  for (let c = 0; c < b.length; c++) triangles[a.length + c] = b[c] + p.length / 3;
  const { representative } = weld({ positions, triangles });
  for (let c = 0; c < triangles.length; c++) triangles[c] = representative[triangles[c]];
  return { positions, triangles };
}

/**
 * True if the first triangles plus `sign` times the others are 0 as a chain; false also if
 * undecided.
 *
 * Each corner c has two ends of sides. The side from c to the next corner begins there, end 2c; the
 * side to c from the corner after that ends there, end 2c + 1.
 */
function cancels(surface: Surface, first: number, sign: number): boolean {
  const { positions, triangles } = surface;
  const other = (end: number): number => triangles[end & 1 ? previousInTriangle(end >> 1) : nextInTriangle(end >> 1)];
  const vertices = positions.length / 3;
  const ends = sorted(sorted(endsOf(surface), other, vertices), (end) => triangles[end >> 1], vertices);
  const rest = new Rest(positions, MOST_COMPARISONS * ends.length);
  let vertex = -1;
  for (let from = 0, to = 0; from < ends.length; from = to) {
    const here = triangles[ends[from] >> 1];
    if (here !== vertex && !rest.isNothing()) return false;
    vertex = here;
    const there = other(ends[from]);
    for (to = from; to < ends.length && triangles[ends[to] >> 1] === here && other(ends[to]) === there; to++) {
      const corner = ends[to] >> 1;
      const value = (ends[to] & 1 ? 1 : -1) * (corner < first ? 1 : sign);
      rest.add(here, there, triangles[ends[to] & 1 ? nextInTriangle(corner) : previousInTriangle(corner)], value);
    }
    rest.forget();
    if (rest.isTooMuch) return false;
  }
  return rest.isNothing();
}

function endsOf({ positions, triangles }: Surface): Uint32Array {
  const ends = new Uint32Array(2 * triangles.length);
  let count = 0;
  for (let c = 0; c < triangles.length; c += 3) {
    const [i, j, k] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
    if (areOnLine(positions, i, j, k)) continue;
    for (let end = 2 * c; end < 2 * c + 6; end++) ends[count++] = end;
  }
  return ends.subarray(0, count);
}

const areOnLine = (positions: Float64Array, i: number, j: number, k: number): boolean =>
  orient2d(positions, i, positions, j, positions, k, 0) === 0 &&
  orient2d(positions, i, positions, j, positions, k, 1) === 0 &&
  orient2d(positions, i, positions, j, positions, k, 2) === 0;

/** A stable counting sort by keys from 0 to before `keys`. */
function sorted(numbers: Uint32Array, keyOf: (number: number) => number, keys: number): Uint32Array {
  const place = new Uint32Array(keys + 1);
  for (let n = 0; n < numbers.length; n++) place[keyOf(numbers[n]) + 1]++;
  for (let key = 1; key < keys; key++) place[key] += place[key - 1];
  const ordered = new Uint32Array(numbers.length);
  for (let n = 0; n < numbers.length; n++) ordered[place[keyOf(numbers[n])]++] = numbers[n];
  return ordered;
}

/** Counts at one vertex: first for sides to one other vertex, on one line, then for the rest. */
class Rest {
  /** Place of the vertex in `positions`; per count a point of its line and of its plane. */
  private at = 0;
  private readonly lines: number[] = [];
  private readonly planes: number[] = [];
  private readonly counts: number[] = [];
  /** Counts before this are of sides to earlier vertices. */
  private before = 0;

  constructor(
    private readonly positions: Float64Array,
    private comparisons: number,
  ) {}

  get isTooMuch(): boolean {
    return this.comparisons < 0;
  }

  /** Counts an end at `vertex` of a side to `other`, in the plane through `third`. */
  add(vertex: number, other: number, third: number, value: number): void {
    this.at = 3 * vertex;
    const { lines, planes, counts } = this;
    for (let n = this.before; n < counts.length; n++) {
      if (!this.isInPlane(n, 3 * third)) continue;
      counts[n] += value;
      return;
    }
    lines.push(3 * other);
    planes.push(3 * third);
    counts.push(value);
  }

  forget(): void {
    const { lines, planes, counts } = this;
    let kept = this.before;
    for (let n = kept; n < counts.length; n++) {
      if (counts[n] === 0) continue;
      lines[kept] = lines[n];
      planes[kept] = planes[n];
      counts[kept++] = counts[n];
    }
    lines.length = kept;
    planes.length = kept;
    counts.length = kept;
    this.before = kept;
  }

  /** True if all counts of the vertex are 0; clears them. */
  isNothing(): boolean {
    const { positions, at, lines, counts } = this;
    let isZero = true;
    for (let n = 0; n < counts.length && isZero; n++) {
      for (let m = n + 1; m < counts.length; m++) {
        this.comparisons--;
        if (counts[m] === 0 || !areOnLine(positions, at, lines[n], lines[m])) continue;
        if (!this.isInPlane(n, this.planes[m])) continue;
        counts[n] += counts[m];
        counts[m] = 0;
      }
      isZero = counts[n] === 0 && !this.isTooMuch;
    }
    this.before = 0;
    lines.length = 0;
    this.planes.length = 0;
    counts.length = 0;
    return isZero;
  }

  private isInPlane(n: number, point: number): boolean {
    const { positions, at, lines, planes } = this;
    this.comparisons--;
    return (
      planes[n] === point || orient3d(positions, at, positions, lines[n], positions, planes[n], positions, point) === 0
    );
  }
}
