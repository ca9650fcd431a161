/**
 * Finds the seams of an atlas in its samples: where charts meet, their rims have the same points,
 * to the bit.
 *
 * A rim is a closed walk from point to point; repeated samples are one point. A seam edge is a pair
 * of points between which some rim walks; its sides are all such walks. Points are junctions
 * - with one seam edge, or with three or more; or with two that have different charts beside them
 *   (counted, not as sets);
 * - where a rim turns back along the edge that it came by;
 * - at the corners of a chart of one quad;
 * - and one point of each loop without any of these. An arc that would end where it starts gets two
 *   more, since a hole needs three points.
 *
 * Arcs run between junctions, and each rim is a row of whole arcs (proof: build/charts/arcs.ts).
 */
import { chartsOf, type GeometryImage } from './geometry-image.ts';
import { sizeOf } from './grid.ts';
import { sampleOnSide } from './rim.ts';

export interface Rim {
  exponent: number;
  /** Points of the rim, cyclic, no two neighbors equal. */
  points: Int32Array;
  /** Slot around the square where each begins, ascending; samples before the next one repeat it. */
  first: Int32Array;
  sides: Side[];
}

interface Side {
  arc: number;
  /** True if the rim runs against the arc's direction. */
  reversed: boolean;
  /** Index in `points` of the side's first point. */
  from: number;
}

export interface SeamArcs {
  rims: Rim[];
  /** Points of every arc, less one. */
  intervals: Int32Array;
}

export const slotsOf = (exponent: number): number => 4 << exponent;

export function findSeamArcs(image: GeometryImage): SeamArcs {
  const rims = rimsOf(image);
  const edges = findEdges(rims);
  const isJunction = findJunctions(rims, edges);
  return { rims, intervals: layArcs(rims, edges, isJunction) };
}

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
  if (first.length === 0) return { points: around.slice(0, 1), first: Int32Array.of(0) };
  return { points: first.map((slot) => around[slot]), first };
}

interface Edges {
  /** Per chart, the edge from every point of its rim to the next one. */
  ofRims: Int32Array[];
  /** Charts beside each edge, ascending, each as often as it is. */
  beside: number[][];
  /** The first two edges of each point, or -1, and their number. */
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

/** If a rim runs from a junction to the same one, two points between become junctions, too. */
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

function layArcs(rims: Rim[], { ofRims, beside }: Edges, isJunction: Uint8Array): Int32Array {
  const arcOf = new Int32Array(beside.length).fill(-1);
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
