/**
 * The seams of an atlas, found again in its samples: where charts meet, the samples of their rims
 * are the same points, to the bit.
 *
 * A rim is a closed walk from point to point; samples that repeat the one before are one point. A
 * seam edge is a pair of points that some rim walks between, its sides are all such walks. Points
 * are junctions
 * - with one seam edge, or three or more; or two with different charts beside them (counted, not as
 *   sets);
 * - where a rim turns back along the edge that it came by;
 * - at the corners of a chart of one quad;
 * and one point of each loop that has none, and two more of an arc that would end where it starts:
 * three points are kept of a hole, which is then still one. Between junctions run arcs, and each
 * rim is a row of whole arcs (build/charts/arcs.ts has the proof).
 */
import { chartsOf, type GeometryImage } from './geometry-image.ts';
import { sizeOf } from './grid.ts';
import { sampleOnSide } from './rim.ts';

/** The points that a chart's rim runs through, one after the other. */
export interface Rim {
  exponent: number;
  /** Numbers of points, no two neighbours the same, the last and the first neither. */
  points: Int32Array;
  /** Where round the square each begins, ascending; samples up to the next one repeat it. */
  first: Int32Array;
  /** In the rim's order; none where it is a point. */
  sides: Side[];
}

/** A whole arc in a rim. */
interface Side {
  arc: number;
  /** Whether the rim runs against the arc's direction. */
  reversed: boolean;
  /** Index of the side's first point in `points`; it ends where the next one starts. */
  from: number;
}

export interface SeamArcs {
  /** Of every chart. */
  rims: Rim[];
  /** Of every arc the points but one. */
  intervals: Int32Array;
}

/** Sample slots round a chart. */
export const slotsOf = (exponent: number): number => 4 << exponent;

export function findSeamArcs(image: GeometryImage): SeamArcs {
  const rims = rimsOf(image);
  const edges = findEdges(rims);
  const isJunction = findJunctions(rims, edges);
  return { rims, intervals: layArcs(rims, edges, isJunction) };
}

/** Every chart's rim; points are numbered as they are met. */
function rimsOf(image: GeometryImage): Rim[] {
  const numbers = new Map<number, number>();
  const rims: Rim[] = [];
  for (const { exponent, geometry } of chartsOf(image)) {
    const slots = slotsOf(exponent);
    const around = new Int32Array(slots);
    for (let slot = 0; slot < slots; slot++) {
      const v = 3 * sampleOnSide(slot, sizeOf(exponent));
      const place = geometry[v] * 2 ** 32 + geometry[v + 1] * 2 ** 16 + geometry[v + 2];
      let number = numbers.get(place);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(place, number);
      }
      around[slot] = number;
    }
    rims.push({ exponent, ...runsOf(around), sides: [] });
  }
  return rims;
}

function runsOf(around: Int32Array): Pick<Rim, 'points' | 'first'> {
  const slots = around.length;
  const first = Int32Array.from(around.keys()).filter((slot) => around[slot] !== around[(slot + slots - 1) % slots]);
  // All is one point.
  if (first.length === 0) return { points: around.slice(0, 1), first: Int32Array.of(0) };
  return { points: first.map((slot) => around[slot]), first };
}

/** Seam edges and the points between them. */
interface Edges {
  /** Of each chart the edge from every point of its rim to the next one. */
  ofRims: Int32Array[];
  /** Of each edge the charts beside it, ascending, as often as they are. */
  beside: number[][];
  /** Of each point the first two of its edges, -1 for none, and how many there are. */
  atPoint: Int32Array;
  degree: Int32Array;
}

function findEdges(rims: Rim[]): Edges {
  const count = 1 + rims.reduce((most, { points }) => points.reduce((a, b) => Math.max(a, b), most), 0);
  const numbers = new Map<number, number>();
  const beside: number[][] = [];
  const atPoint = new Int32Array(2 * count).fill(-1);
  const degree = new Int32Array(count);
  const ofRims = rims.map(({ points }, chart) => {
    if (points.length < 2) return new Int32Array(0);
    return points.map((p, i) => {
      const q = points[(i + 1) % points.length];
      const key = Math.min(p, q) * count + Math.max(p, q);
      let edge = numbers.get(key);
      if (edge === undefined) {
        edge = beside.push([]) - 1;
        numbers.set(key, edge);
        for (const end of [p, q]) {
          if (degree[end] < 2) atPoint[2 * end + degree[end]] = edge;
          degree[end]++;
        }
      }
      beside[edge].push(chart);
      return edge;
    });
  });
  return { ofRims, beside, atPoint, degree };
}

function findJunctions(rims: Rim[], { ofRims, beside, atPoint, degree }: Edges): Uint8Array {
  const isJunction = new Uint8Array(degree.length);
  const areSame = (e: number, f: number): boolean =>
    beside[e].length === beside[f].length && beside[e].every((chart, i) => chart === beside[f][i]);
  for (let p = 0; p < degree.length; p++)
    if (degree[p] !== 2 || !areSame(atPoint[2 * p], atPoint[2 * p + 1])) isJunction[p] = 1;
  rims.forEach(({ points, exponent }, chart) => {
    const edges = ofRims[chart];
    for (let i = 0; i < edges.length; i++)
      if (exponent === 0 || edges[i] === edges[(i + edges.length - 1) % edges.length]) isJunction[points[i]] = 1;
  });
  for (const rim of rims) partLoops(rim, isJunction);
  return isJunction;
}

/** Where a rim has a run from a junction to the same one, two points between are junctions too. */
function partLoops({ points }: Rim, isJunction: Uint8Array): void {
  const length = points.length;
  if (length < 2) return;
  let ends = junctionsOf(points, isJunction);
  if (ends.length === 0) {
    isJunction[points[0]] = 1;
    ends = junctionsOf(points, isJunction);
  }
  ends.forEach((from, k) => {
    const to = k + 1 < ends.length ? ends[k + 1] : ends[0] + length;
    if (points[from] !== points[to % length]) return;
    for (const third of [1, 2]) isJunction[points[(from + Math.round((third * (to - from)) / 3)) % length]] = 1;
  });
}

const junctionsOf = (points: Int32Array, isJunction: Uint8Array): number[] =>
  Array.from(points.keys()).filter((i) => isJunction[points[i]] === 1);

/** Writes the rims' sides; returns the arcs' lengths in points. */
function layArcs(rims: Rim[], { ofRims, beside }: Edges, isJunction: Uint8Array): Int32Array {
  const arcOf = new Int32Array(beside.length).fill(-1);
  // Of each arc its first two points and its length.
  const starts: number[] = [];
  const intervals: number[] = [];
  rims.forEach(({ points, sides }, chart) => {
    const length = points.length;
    if (length < 2) return;
    const ends = junctionsOf(points, isJunction);
    ends.forEach((from, k) => {
      const to = k + 1 < ends.length ? ends[k + 1] : ends[0] + length;
      const edges = ofRims[chart];
      let arc = arcOf[edges[from]];
      const next = points[(from + 1) % length];
      if (arc < 0) {
        arc = intervals.push(to - from) - 1;
        starts.push(points[from], next);
        for (let i = from; i < to; i++) arcOf[edges[i % length]] = arc;
      }
      const reversed = starts[2 * arc] !== points[from] || starts[2 * arc + 1] !== next;
      sides.push({ arc, reversed, from });
    });
  });
  return Int32Array.from(intervals);
}
