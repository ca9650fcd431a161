/**
 * Places the samples of creases and open rims at their corners.
 *
 * Samples at even distances cut corners off: they miss a face's rim on both sides, and shrink a
 * hole of few samples. A crease needs a sample at each of its corners and none between. So its
 * samples are vertices of the arc: first the one farthest from the chord, then from the two chords,
 * and so on (D. Douglas, T. Peucker, "Algorithms for the reduction of the number of points required
 * to represent a digitized line or its caricature", 1973), until all others are `near`. Further
 * samples subdivide the longest runs. Seams across smooth surfaces keep even distances.
 */
import { allotIntervals } from '../../tree/grid.ts';
import type { Arc, DiskChart } from './arcs.ts';

/** The corners of a crease by their numbers in the arc, most important first. */
export interface Rim {
  corners: Int32Array;
  /** Squared distance of the farthest vertex from the chords between so many corners; 0 at last. */
  squared: Float64Array;
}

/** A seam within a plane may be this many times less exact: it must only miss holes. */
const FLAT_SEAM = 50;
/** Maximum number of corners to find: more than the sides of the largest charts have samples. */
const MOST_CORNERS = 4096;

interface Run {
  first: number;
  last: number;
  /** The vertex between them that is farthest from their chord, and its squared distance. */
  farthest: number;
  squared: number;
}

/** Returns a rim for each crease or open rim, null for the other arcs. */
export const rimsOf = (positions: Float64Array, arcs: readonly Arc[], near: number): (Rim | null)[] =>
  arcs.map((arc) => {
    if (arc.isEdge) return cornersOf(positions, arc.vertices, near);
    return arc.isFlat ? cornersOf(positions, arc.vertices, FLAT_SEAM * near) : null;
  });

export function cornersOf(positions: Float64Array, vertices: Uint32Array, near: number): Rim {
  const corners: number[] = [];
  const squared: number[] = [];
  const heap: Run[] = [];
  const offer = (first: number, last: number): void => {
    const run = runOf(positions, vertices, first, last);
    if (run.squared > near * near) push(heap, run);
  };
  offer(0, vertices.length - 1);
  while (heap.length > 0 && corners.length < MOST_CORNERS) {
    const { first, farthest, last, squared: most } = pop(heap);
    corners.push(farthest);
    squared.push(most);
    offer(first, farthest);
    offer(farthest, last);
  }
  return { corners: Int32Array.from(corners), squared: Float64Array.from([...squared, 0]) };
}

function runOf(p: Float64Array, vertices: Uint32Array, first: number, last: number): Run {
  const [a, b] = [3 * vertices[first], 3 * vertices[last]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const square = ux * ux + uy * uy + uz * uz;
  let [farthest, squared] = [first, 0];
  for (let i = first + 1; i < last; i++) {
    const v = 3 * vertices[i];
    const [x, y, z] = [p[v] - p[a], p[v + 1] - p[a + 1], p[v + 2] - p[a + 2]];
    const part = square > 0 ? Math.max(0, Math.min(1, (x * ux + y * uy + z * uz) / square)) : 0;
    const [dx, dy, dz] = [x - part * ux, y - part * uy, z - part * uz];
    const d2 = dx * dx + dy * dy + dz * dz;
    if (d2 > squared) [farthest, squared] = [i, d2];
  }
  return { first, last, farthest, squared };
}

const isBefore = (one: Run, other: Run): boolean =>
  one.squared > other.squared || (one.squared === other.squared && one.first < other.first);

function push(heap: Run[], run: Run): void {
  let at = heap.push(run) - 1;
  for (let above = (at - 1) >> 1; at > 0 && isBefore(run, heap[above]); at = above, above = (at - 1) >> 1) {
    heap[at] = heap[above];
  }
  heap[at] = run;
}

function pop(heap: Run[]): Run {
  const top = heap[0];
  const last = heap.pop()!;
  if (heap.length === 0) return top;
  let at = 0;
  for (let below = 1; below < heap.length; below = 2 * at + 1) {
    if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below++;
    if (isBefore(last, heap[below])) break;
    heap[at] = heap[below];
    at = below;
  }
  heap[at] = last;
  return top;
}

/** Returns the length along the arc of each of its samples, from 0 on. */
export function samplesAlong({ along, length }: Arc, rim: Rim | null, intervals: number): Float64Array {
  if (!rim) return Float64Array.from({ length: intervals + 1 }, (_, i) => (length * i) / intervals);
  const kept = rim.corners.slice(0, intervals - 1).sort();
  const ends = [0, ...kept, along.length - 1].map((i) => along[i]);
  if (ends.length === intervals + 1) return Float64Array.from(ends);
  const runs = ends.slice(1).map((end, i) => end - ends[i]);
  const parts = allotIntervals(runs, intervals);
  return Float64Array.from(
    runs.flatMap((run, i) => Array.from({ length: parts[i] }, (_, k) => ends[i] + (run * k) / parts[i])).concat(length),
  );
}

/**
 * Shares out a boundary's intervals. Each corner of a rim gets one first; the rest goes by length.
 * Curved rims that would get less than twice what they need get none of the rest: more samples than
 * corners don't match those of the chart beyond. If there are too few intervals, the corners share
 * them.
 */
export function allotSides(lengths: readonly number[], rims: readonly (Rim | null)[], total: number): Int32Array {
  if (rims.every((rim) => rim === null)) return allotIntervals(lengths, total);
  const needs = rims.map((rim) => (rim ? rim.corners.length + 1 : 1));
  const left = total - needs.reduce((sum, need) => sum + need, 0);
  if (left < 0) return allotIntervals(needs, total);
  const share = (isOpen: (i: number) => boolean): number[] => {
    const own = lengths.map((length, i) => (isOpen(i) ? length : 0));
    const sum = own.reduce((all, length) => all + length, 0);
    return own.map((length) => (sum > 0 ? (left * length) / sum : left / own.length));
  };
  const byLength = share(() => true);
  const isCurved = needs.map((need, i) => need > 1 && byLength[i] < need);
  const rest = isCurved.includes(false) ? share((i) => !isCurved[i]) : byLength;
  return allotIntervals(
    needs.map((need, i) => need + rest[i]),
    total,
  );
}

/** Chords of a rim also move the chart on its other side, which is often curved and larger. */
const RIM_WEIGHT = 4;
/** The finest rim examined, as an exponent above the smallest. */
const STEPS = 6;

/**
 * Returns the errors of a flat chart with `smallest` quads per side, as an exponent, then with
 * more. An error is the squared distances that the rim's chords cut off, times the chart's width. 0
 * follows after the last one.
 */
export function rimErrors(
  { sides }: DiskChart,
  {
    arcs,
    rims,
    positions,
    smallest,
    area,
    near,
  }: {
    arcs: readonly Arc[];
    rims: readonly (Rim | null)[];
    positions: Float64Array;
    smallest: number;
    area: number;
    near: number;
  },
): number[] {
  const lengths = sides.map(({ arc }) => arcs[arc].length);
  const own = sides.map(({ arc }) => rims[arc]);
  const bends = sides.map(({ arc }) => {
    return arcs[arc].isFlat ? null : (rims[arc] ?? cornersOf(positions, arcs[arc].vertices, near));
  });
  const errors: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const intervals = allotSides(lengths, own, 4 << (smallest + step));
    const width = RIM_WEIGHT * Math.sqrt(area);
    let error = 0;
    bends.forEach((bend, s) => {
      if (bend && intervals[s] < bend.squared.length) error += bend.squared[intervals[s] - 1] * lengths[s] * width;
    });
    if (error === 0) break;
    errors.push(error);
  }
  return errors;
}
