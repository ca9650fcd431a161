/**
 * Finds the seams of an atlas in its samples. Reduces the samples and keeps the seams closed,
 * whatever sizes the charts have.
 *
 * Every 2^k-th sample of each chart would not work: neighbors of different sizes, or with junctions
 * elsewhere, keep different points of their seam. So a chart's inside is thinned out that way, and
 * its rim separately. Each arc of the seams (`findSeamArcs`) keeps an even number of intervals, the
 * most that every chart beside it has room for, and always its ends. A coarse rim's samples are the
 * kept points, each at the place nearest to its own; if there are more places than points, some
 * repeat. A chart with more arcs than places keeps more samples.
 *
 * Closed. Let f map each point of the rims to a kept point: those of an arc each to one of that
 * arc's, in order. The coarse rim of a chart runs through f of the points that its fine rim runs
 * through. The fine rims, as oriented walks, add up to the border of the fine surface. A map of
 * points keeps sums of walks: the coarse rims add up to f of the border, to nothing if there was
 * none. The triangles of a coarse chart fill its rim. So the coarse surface has no open edge beyond
 * f of the old border. As in a square, triangles may be points.
 *
 * Places. Point t of K kept points should be at y(t) of M places around the square, but no two at
 * one. With x(t) = y(t) - t, and
 *   x(t + K) = x(t) + M - K
 * the mean of the largest x up to t and the least from t on never falls. No numbers that never fall
 * are nearer to x, by the largest error (isotonic regression).
 *
 * Distance from the fine surface. The fine triangles of a coarse quad are in a sphere of the fine
 * tree, with center c and radius R. Points of the rim may have come from beyond it. Let R' >= R be
 * at least the distance of the coarse quad's corners from c. Then a point of either is within R +
 * R' of any of the other. A chart may keep all samples except some of its rim. Then the triangles
 * of a quad that is cut the same way move by at most as much as their corners.
 */
import { type Chart, chartsOf, cutsDown, type GeometryImage } from './geometry-image.ts';
import { allotIntervals, decodeError, nodeOffset, sampleOnSide, sizeOf } from './grid.ts';

export type StitchedChart = Pick<Chart, 'exponent' | 'geometry' | 'normals'>;

/**
 * Charts of 2^m + 1 samples per side, or as many as they need, in the image's order.
 *
 * @param m from 1, less than the largest chart's exponent
 */
export function stitchCharts(image: GeometryImage, m: number): { charts: StitchedChart[]; deviation: number } {
  const arcs = findSeamArcs(image);
  const exponents = arcs.rims.map((rim) => coarseExponent(rim, m));
  const kept = keptIntervals(arcs, exponents);
  let deviation = 0;
  let index = 0;
  const charts: StitchedChart[] = [];
  for (const chart of chartsOf(image)) {
    const exponent = exponents[index];
    const stitched = thinnedOut(chart, exponent, placesOf(arcs, kept, index++, exponent));
    deviation = Math.max(deviation, deviationOf(chart, stitched));
    charts.push(stitched);
  }
  return { charts, deviation };
}

/**
 * Least exponent from m for which a rim has a place for each arc, and no arc's end is far from its
 * own place.
 */
function coarseExponent(rim: Rim, m: number): number {
  const widths = widthsOf(rim);
  for (let exponent = Math.min(m, rim.exponent); exponent < rim.exponent; exponent++)
    if (slotsOf(exponent) >= widths.length && shiftOf(widths, exponent) <= MOST_SHIFT) return exponent;
  return rim.exponent;
}

/** Most places by which arcs' ends may move relative to each other. */
const MOST_SHIFT = 2;

function shiftOf(widths: number[], exponent: number): number {
  const shares = allotIntervals(widths, slotsOf(exponent));
  const stride = widths.reduce((a, b) => a + b, 0) / slotsOf(exponent);
  let [shift, least, most] = [0, 0, 0];
  shares.forEach((share, s) => {
    shift += share - widths[s] / stride;
    least = Math.min(least, shift);
    most = Math.max(most, shift);
  });
  return most - least;
}

function widthsOf({ exponent, sides, first }: Rim): number[] {
  return sides.map(({ from }, s) =>
    s + 1 < sides.length
      ? first[sides[s + 1].from] - first[from]
      : first[sides[0].from] + slotsOf(exponent) - first[from],
  );
}

/** Intervals of each arc for which all charts beside it have room. */
function keptIntervals({ rims, intervals }: SeamArcs, exponents: number[]): Int32Array {
  const kept = intervals.slice();
  rims.forEach((rim, chart) => {
    if (rim.sides.length === 0) return;
    const shares = allotIntervals(widthsOf(rim), slotsOf(exponents[chart]));
    rim.sides.forEach(({ arc }, s) => {
      kept[arc] = Math.min(kept[arc], shares[s]);
    });
  });
  return kept;
}

/** Maps each place around the coarse chart to the fine chart's place with its sample. */
function placesOf({ rims, intervals }: SeamArcs, kept: Int32Array, chart: number, exponent: number): Int32Array {
  const { sides, first, exponent: fine } = rims[chart];
  const [slots, coarse, stride] = [slotsOf(fine), slotsOf(exponent), 2 ** (fine - exponent)];
  const sources = new Int32Array(coarse);
  if (sides.length === 0) return sources.fill(first[0]);
  // First and last fine place of each kept point, in the rim's order.
  const begins: number[] = [];
  const ends: number[] = [];
  for (const { arc, reversed, from } of sides) {
    for (let i = 0; i < kept[arc]; i++) {
      const along = Math.round(((reversed ? kept[arc] - i : i) * intervals[arc]) / kept[arc]);
      const run = from + (reversed ? intervals[arc] - along : along);
      begins.push(beginOf(first, run, slots));
      ends.push(beginOf(first, run + 1, slots) - 1);
    }
  }
  const wanted = begins.map((begin) => Math.round(begin / stride));
  const places = spreadOut(wanted, coarse);
  places.push(places[0] + coarse);
  begins.push(begins[0] + slots);
  for (let t = 0; t < ends.length; t++) {
    for (let place = places[t]; place < places[t + 1]; place++) {
      const at = place * stride;
      const isOwn = place === places[t] || at - ends[t] <= begins[t + 1] - at;
      sources[((place % coarse) + coarse) % coarse] = begins[isOwn ? t : t + 1] % slots;
    }
  }
  return sources;
}

/** Start of the i-th run around a rim, also after the first round. */
const beginOf = (first: Int32Array, i: number, slots: number): number =>
  first[i % first.length] + slots * Math.floor(i / first.length);

/**
 * Whole numbers nearest to the wanted, nondecreasing ones. They rise strictly, the last less than
 * `places` above the first.
 */
function spreadOut(wanted: number[], places: number): number[] {
  const spare = places - wanted.length;
  const upTo = wanted.map((y, t) => y - t);
  const fromOn = upTo.slice();
  const count = wanted.length;
  // From the round before, and the round after.
  const last = upTo.reduce((a, b) => Math.max(a, b)) - spare;
  const following = upTo.reduce((a, b) => Math.min(a, b)) + spare;
  upTo[0] = Math.max(upTo[0], last);
  for (let t = 1; t < count; t++) upTo[t] = Math.max(upTo[t], upTo[t - 1]);
  fromOn[count - 1] = Math.min(fromOn[count - 1], following);
  for (let t = count - 2; t >= 0; t--) fromOn[t] = Math.min(fromOn[t], fromOn[t + 1]);
  return upTo.map((most, t) => t + Math.floor((most + fromOn[t]) / 2));
}

function thinnedOut(
  { exponent: fine, geometry, normals }: Chart,
  exponent: number,
  sources: Int32Array,
): StitchedChart {
  const [size, fineSize] = [sizeOf(exponent), sizeOf(fine)];
  const from = new Int32Array(size * size);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      from[row * size + column] = (row * fineSize + column) * 2 ** (fine - exponent);
  sources.forEach((place, i) => {
    from[sampleOnSide(i, size)] = sampleOnSide(place, fineSize);
  });
  const taken = (samples: Uint16Array): Uint16Array => {
    const thin = new Uint16Array(3 * from.length);
    for (let v = 0; v < from.length; v++) for (let k = 0; k < 3; k++) thin[3 * v + k] = samples[3 * from[v] + k];
    return thin;
  };
  return { exponent, geometry: taken(geometry), normals: normals && taken(normals) };
}

/** Bound on the distance between a chart and its stitched one, either way. */
function deviationOf(chart: Chart, { exponent, geometry }: StitchedChart): number {
  const size = sizeOf(exponent);
  const isWhole = exponent === chart.exponent;
  let most = 0;
  for (let row = 0; row < size - 1; row++) {
    for (let column = 0; column < size - 1; column++) {
      const isCutAlike =
        isWhole && cutsDown(chart.geometry, size, row, column) === cutsDown(geometry, size, row, column);
      const off = isCutAlike
        ? mostMoved(chart, geometry, row, column)
        : reachOf(chart, exponent, geometry, row, column);
      if (off > most) most = off;
    }
  }
  return most * (1 + 2 ** -48);
}

/** Greatest move of a quad's corner, in a chart that keeps all its samples. */
function mostMoved(chart: Chart, geometry: Uint16Array, row: number, column: number): number {
  const size = sizeOf(chart.exponent);
  let most = 0;
  for (let corner = 0; corner < 4; corner++) {
    const v = 3 * ((row + (corner >> 1)) * size + column + (corner & 1));
    most = Math.max(most, stepsBetween(geometry, v, chart.geometry, v));
  }
  return most === 0 ? 0 : chart.step * most + decodeError(chart);
}

function reachOf(chart: Chart, exponent: number, geometry: Uint16Array, row: number, column: number): number {
  const { tree, step } = chart;
  const size = sizeOf(exponent);
  const o = nodeOffset(chart.exponent, exponent, row, column);
  const radius = tree.page[o + 3] * tree.radiusSteps[exponent];
  let most = 0;
  for (let corner = 0; corner < 4; corner++) {
    const v = 3 * ((row + (corner >> 1)) * size + column + (corner & 1));
    most = Math.max(most, stepsBetween(geometry, v, tree.page, o));
  }
  return radius + Math.max(radius, step * most + decodeError(chart));
}

function stepsBetween(a: Uint16Array, i: number, b: Uint16Array, j: number): number {
  const x = a[i] - b[j];
  const y = a[i + 1] - b[j + 1];
  const z = a[i + 2] - b[j + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/*
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
 * Arcs run between junctions, and each rim is a row of whole arcs (proof: make/charts/arcs.ts).
 */

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

interface SeamArcs {
  rims: Rim[];
  /** Points of every arc, less one. */
  intervals: Int32Array;
}

const slotsOf = (exponent: number): number => 4 << exponent;

function findSeamArcs(image: GeometryImage): SeamArcs {
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
