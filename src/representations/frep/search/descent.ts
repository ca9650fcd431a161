/**
 * Searches for a common point of two functionally defined solids by recursive subdivision.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 3.3: the region that both may share is the cube of +-1. It is subdivided in x and
 * y down to 2^a by 2^a slices; remaining slices are subdivided in z, from the near end, down to 2^a
 * parts. A cell outside of one solid is dropped. A cell wholly inside both proves contact, and so
 * does a center inside both, which every cell's evaluation includes. Cells left at the end are
 * undecided.
 *
 * Departures. All three axes are halved in turns unless the source's slices are requested. A slice
 * is long and thin, so its bounds are bad: near contact it visits 70 to 300 times the cells, and
 * more (bench/frep-check.mjs). If neither function decides, both are tested together
 * (refine.ts). For two balls this leaves a fortieth of the cells, for spheres with 100
 * perturbations each a third. Their number hardly grows as the gap between the solids shrinks;
 * otherwise it grows tenfold for every tenth of the gap.
 *
 * The region is a box along a's axes: a's domain, as far as b's moved domain reaches. So a's
 * coefficients are only shifted and scaled. b's are re-expressed once under the relative pose, with
 * all rounding (pair-kernel.ts) in their error bounds. If b is the complement of a solid
 * (unfold.ts), the region is all of a's domain.
 */

import { relativePose } from '../../../engine/pair-kernel.ts';
import type { Cell, Outcome, Query } from '../../../engine/records.ts';
import { movePoint } from '../../../math/pose.ts';
import type { CellFunction } from '../tree/cell-function.ts';
import { functionOf, reachOfFrep } from '../tree/cell-function.ts';
import type { FrepObject } from '../tree/program.ts';
import { areApart, candidate, seek } from './refine.ts';

export interface SearchOptions {
  /** Halving order: `octants`, all axes in turns, or the source's `slices`, x and y, then z. */
  subdivision: 'octants' | 'slices';
  mixes: boolean;
  /** True to end at the first undecided cell. */
  endsUndecided?: boolean;
}

/** Searches for a common point, or with `all` for all common cells; writes `point`. */
export function checkFreps(a: FrepObject, b: FrepObject, query: Query): Outcome {
  return searchCells(a, b, query, { subdivision: subdivisionOf(query), mixes: true });
}

const subdivisionOf = ({ own }: Query): SearchOptions['subdivision'] =>
  (own?.search ?? own?.subdivision) === 'slices' ? 'slices' : 'octants';

const FIRST_BOUNDS = 2 ** 14;
const COARSE = 4;
const COARSER = 3;
/** Coincident faces leave millions of undecided cells, so a search gives up; later with `all`. */
const MOST_BOUNDS = 2 ** 20;
const MOST_BOUNDS_OF_ALL = 2 ** 24;
const MOST_LISTED = 2 ** 20;

const map = new Float64Array(12);
const middle = new Float64Array(3);
const extent = new Float64Array(3);
const point = new Float64Array(3);

/** Intermediate results of a search. */
interface Findings {
  readonly isSlices: boolean;
  readonly endsUndecided: boolean;
  bounds: number;
  deepest: number;
  undecided: number;
  isCut: boolean;
  isExhausted: boolean;
  readonly found: number[][];
}

interface CellSearch extends Findings {
  readonly a: CellFunction;
  readonly b: CellFunction;
  readonly isForAll: boolean;
  readonly mixes: boolean;
  /** Most cells to list. */
  readonly most: number;
  mostBounds: number;
  /** Depth of the finest cells. */
  last: number;
  /** The middle and the half extents of the cell of each depth. */
  places: Float64Array;
}

export function searchCells(a: FrepObject, b: FrepObject, query: Query, options: SearchOptions): Outcome {
  const finest = Math.max(a.resolution, b.resolution);
  const resolution = Math.min(finest, query.level ?? finest);
  const { all: isForAll, mostCells = Number.POSITIVE_INFINITY } = query;
  const { mixes, endsUndecided = false } = options;
  const isSlices = options.subdivision === 'slices';
  const nothing = { deepest: 0, undecided: 0, isCut: false, isExhausted: false, found: [] };
  if (!placeRegion(a, b, query)) {
    extent.fill(0);
    return outcomeOf({ isSlices, endsUndecided, ...nothing, bounds: 1 }, a, query, resolution);
  }
  const search: CellSearch = {
    ...{ isSlices, endsUndecided, ...nothing, bounds: 0 },
    ...{ a: functionOf(a, 'a'), b: functionOf(b, 'b'), isForAll, mixes },
    most: Math.min(query.maxContacts, MOST_LISTED),
    mostBounds: Math.min(mostCells, isForAll || isSlices || !mixes ? MOST_BOUNDS_OF_ALL : MOST_BOUNDS),
    last: 0,
    places: new Float64Array(6 * 61),
  };
  placeFunctions(search, a, b, query);
  let step = resolution;
  if (search.mostBounds === MOST_BOUNDS) {
    // Near touches may keep the search busy in one place while contact is plain in another. So
    // after a short first try, the whole region is searched at a coarse resolution, then at finer
    // ones.
    search.mostBounds = FIRST_BOUNDS;
    searchTo(search, resolution);
    if (search.isExhausted) step = Math.min(COARSE, resolution);
    search.mostBounds = search.isExhausted ? MOST_BOUNDS : 0;
  }
  for (; search.mostBounds > 0; step = Math.min(resolution, step + COARSER)) {
    searchTo(search, step);
    if (search.found.length > 0 || search.undecided === 0 || step === resolution || search.isExhausted) break;
  }
  return outcomeOf(search, a, query, resolution);
}

function searchTo(search: CellSearch, step: number): void {
  search.last = 3 * step;
  search.undecided = 0;
  search.isExhausted = false;
  search.places.fill(0, 0, 3);
  search.places.fill(1, 3, 6);
  visit(search, 0, false, false);
}

function placeRegion(a: FrepObject, b: FrepObject, { poseA, poseB }: Query): boolean {
  if (b.isOutside) {
    middle.fill(0);
    extent.set(a.domain);
    return true;
  }
  const { map: t, slack } = relativePose(poseA, poseB, reachOfFrep(a), reachOfFrep(b));
  for (let i = 0; i < 3; i++) {
    let at = t[4 * i + 3];
    let half = slack;
    for (let j = 0; j < 3; j++) {
      at += t[4 * i + j] * b.center[j];
      half += Math.abs(t[4 * i + j]) * b.half * b.domain[j];
    }
    const spare = 2 * slack + (half + Math.abs(at - a.center[i])) * 2 ** -45;
    const low = Math.max(-a.domain[i], (at - a.center[i] - half - spare) / a.half);
    const high = Math.min(a.domain[i], (at - a.center[i] + half + spare) / a.half);
    if (low > high) return false;
    middle[i] = low / 2 + high / 2;
    extent[i] = Math.max(middle[i] - low, high - middle[i]) * (1 + 2 ** -50);
  }
  return true;
}

/** True if a point of a's model cube is proved to be in both, domains included. */
export function holdsPoint(a: FrepObject, b: FrepObject, query: Query, at: ArrayLike<number>): boolean {
  middle.set(at);
  extent.fill(0);
  const both = { a: functionOf(a, 'a'), b: functionOf(b, 'b') };
  placeFunctions(both, a, b, query);
  return holdsCentre(both.a, 0, false) && holdsCentre(both.b, 0, false);
}

/** Returns the point of the common frame at a point of a's model cube. */
export function commonPoint({ center, half }: FrepObject, { poseA }: Query, at: ArrayLike<number>): number[] {
  const [x, y, z] = [0, 1, 2].map((k) => center[k] + half * at[k]);
  movePoint(poseA, x, y, z, point, 0);
  return [...point];
}

function placeFunctions(
  search: Pick<CellSearch, 'a' | 'b'>,
  a: FrepObject,
  b: FrepObject,
  { poseA, poseB }: Query,
): void {
  map.fill(0);
  for (let i = 0; i < 3; i++) {
    map[5 * i] = extent[i];
    map[4 * i + 3] = middle[i];
  }
  search.a.start(map, 0);
  const { map: t, slack } = relativePose(poseB, poseA, reachOfFrep(b), reachOfFrep(a));
  for (let i = 0; i < 3; i++) {
    let at = t[4 * i + 3] - b.center[i];
    for (let j = 0; j < 3; j++) {
      at += t[4 * i + j] * (a.center[j] + a.half * middle[j]);
      map[4 * i + j] = (t[4 * i + j] * a.half * extent[j]) / b.half;
    }
    map[4 * i + 3] = at / b.half;
  }
  // Doubled for the rounding here, which has fewer operations on no larger terms.
  search.b.start(map, (2 * slack) / b.half);
}

function visit(search: CellSearch, depth: number, isInA: boolean, isInB: boolean): boolean {
  if (search.bounds >= search.mostBounds) {
    search.isExhausted = true;
    search.undecided++;
    return search.endsUndecided;
  }
  search.bounds++;
  if (depth > search.deepest) search.deepest = depth;
  const { a, b } = search;
  let inA = isInA;
  let inB = isInB;
  if (!inA) {
    a.bound(depth);
    if (a.upper < 0) return false;
    inA = a.lower >= 0;
  }
  if (!inB) {
    b.bound(depth);
    if (b.upper < 0) return false;
    inB = b.lower >= 0;
  }
  if (inA && inB) return take(search, depth, true);
  const isCertified = search.mixes && !inA && !inB;
  if (isCertified && areApart(a, b, depth)) return false;
  if (!search.isForAll || depth === search.last) {
    if (holdsCentre(a, depth, inA) && holdsCentre(b, depth, inB)) {
      point.fill(0);
      return take(search, depth, false);
    }
    if (isCertified && holdsCandidate(search, depth)) {
      point.set(candidate);
      return take(search, depth, false);
    }
  }
  if (depth === search.last) {
    search.undecided++;
    return search.endsUndecided;
  }
  if (!inA) a.shorten(depth);
  if (!inB) b.shorten(depth);
  const axis = axisAt(search, depth);
  if (6 * (depth + 2) > search.places.length) {
    const more = new Float64Array(2 * search.places.length);
    more.set(search.places);
    search.places = more;
  }
  for (let side = -1; side <= 1; side += 2) {
    if (!inA) a.halve(depth, axis, side);
    if (!inB) b.halve(depth, axis, side);
    const at = 6 * depth;
    const { places } = search;
    places.copyWithin(at + 6, at, at + 6);
    const half = places[at + 3 + axis] / 2;
    places[at + 9 + axis] = half;
    places[at + 6 + axis] = places[at + axis] + side * half;
    if (visit(search, depth + 1, inA, inB)) return true;
  }
  return false;
}

function axisAt({ isSlices, last }: CellSearch, depth: number): number {
  if (!isSlices) return depth % 3;
  return 3 * depth < 2 * last ? depth % 2 : 2;
}

function holdsCentre(side: CellFunction, depth: number, isIn: boolean): boolean {
  if (isIn) return true;
  side.centre(depth);
  return side.centreLower >= 0;
}

/** True if a candidate from the functions' slopes is in both; false is inconclusive. */
function holdsCandidate({ a, b }: CellSearch, depth: number): boolean {
  if (!seek(a, b, depth)) return false;
  const [x, y, z] = candidate;
  return a.valueAt(depth, x, y, z) >= 0 && b.valueAt(depth, x, y, z) >= 0;
}

function take(search: CellSearch, depth: number, isInside: boolean): boolean {
  const { found, places } = search;
  if (found.length === search.most) {
    search.isCut = true;
    return true;
  }
  if (isInside) point.fill(0);
  const place = places.subarray(6 * depth, 6 * depth + 6);
  const at = [0, 1, 2].map((k) => place[k] + place[3 + k] * point[k]);
  found.push([...place, isInside ? 1 : 0, ...at]);
  return !search.isForAll;
}

function outcomeOf(findings: Findings, a: FrepObject, query: Query, resolution: number): Outcome {
  const { found, bounds, deepest, undecided, isSlices, isCut, isExhausted, endsUndecided } = findings;
  const inCommon = (...place: number[]): number[] =>
    commonPoint(
      a,
      query,
      place.map((s, k) => middle[k] + extent[k] * s),
    );
  const cells = found.map(([x, y, z, hx, hy, hz, isInside, px, py, pz]): Cell => {
    const size = [hx, hy, hz].map((half, k) => 2 * a.half * extent[k] * half);
    return { center: inCommon(x, y, z), size, isInside: isInside === 1, point: inCommon(px, py, pz) };
  });
  const isContact = cells.length > 0;
  if (isContact) query.onContact?.(0, 0);
  return {
    verdict: isContact ? 'contact' : undecided > 0 ? 'undecided' : 'clear',
    contacts: {
      count: isContact ? 1 : 0,
      complete: isContact ? query.all && !isCut && !isExhausted : undecided === 0,
      pairs: isContact ? [[0, 0]] : [],
    },
    level: Math.min(resolution, Math.ceil(deepest / (isSlices ? 2 : 3))),
    tests: { bounds, hulls: 0 },
    ...(isContact && { point: cells[0].point }),
    cells: {
      resolution,
      size: [0, 1, 2].map((k) => (bounds > 0 ? (2 * a.half * extent[k]) / 2 ** resolution : 0)),
      undecided,
      complete: !isExhausted && !isCut && !(endsUndecided && undecided > 0),
      contacts: cells,
    },
  };
}
