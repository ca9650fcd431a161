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
 * (separation.ts). For two balls this leaves a fortieth of the cells, for spheres with 100
 * perturbations each a third. Their number hardly grows as the gap between the solids shrinks;
 * otherwise it grows tenfold for every tenth of the gap.
 *
 * The region is a box along a's axes: a's domain, as far as b's moved domain reaches. So a's
 * coefficients are only shifted and scaled. b's are re-expressed once under the relative pose, with
 * all rounding (relative-pose.ts) in their error bounds. If b is the complement of a solid
 * (outside.ts), the region is all of a's domain.
 */
import { movePoint } from '../../../math/pose.ts';
import { relativePose } from '../../../query/relative-pose.ts';
import type { Cell, Outcome, Query } from '../../../query/report.ts';
import type { CellFunction } from '../tree/cell-function.ts';
import type { FrepObject } from '../tree/program.ts';
import { functionOf, reachOfFrep } from '../tree/solid-function.ts';
import { areApart, candidate, seek } from './separation.ts';

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
  own?.subdivision === 'slices' ? 'slices' : 'octants';

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

let functionA: CellFunction;
let functionB: CellFunction;
let places = new Float64Array(6 * 61);
let last = 0;
let isForAll = false;
let isSlices = false;
let mixes = true;
let endsUndecided = false;
let most = 0;
let bounds = 0;
let deepest = 0;
let undecided = 0;
let isCut = false;
let isExhausted = false;
let mostBounds = 0;
let found: number[][] = [];

export function searchCells(a: FrepObject, b: FrepObject, query: Query, options: SearchOptions): Outcome {
  const finest = Math.max(a.resolution, b.resolution);
  const resolution = Math.min(finest, query.level ?? finest);
  isForAll = query.all;
  isSlices = options.subdivision === 'slices';
  mixes = options.mixes;
  endsUndecided = options.endsUndecided ?? false;
  most = Math.min(query.maxContacts, MOST_LISTED);
  bounds = deepest = undecided = 0;
  isCut = isExhausted = false;
  const { mostCells = Number.POSITIVE_INFINITY } = query;
  mostBounds = Math.min(mostCells, isForAll || isSlices || !mixes ? MOST_BOUNDS_OF_ALL : MOST_BOUNDS);
  found = [];
  if (placeRegion(a, b, query)) {
    functionA = functionOf(a, 'a');
    functionB = functionOf(b, 'b');
    placeFunctions(a, b, query);
    let step = resolution;
    if (mostBounds === MOST_BOUNDS) {
      // Near touches may keep the search busy in one place while contact is plain in another. So
      // after a short first try, the whole region is searched at a coarse resolution, then at finer
      // ones.
      mostBounds = FIRST_BOUNDS;
      searchTo(resolution);
      if (isExhausted) step = Math.min(COARSE, resolution);
      mostBounds = isExhausted ? MOST_BOUNDS : 0;
    }
    for (; mostBounds > 0; step = Math.min(resolution, step + COARSER)) {
      searchTo(step);
      if (found.length > 0 || undecided === 0 || step === resolution || isExhausted) break;
    }
  } else {
    bounds = 1;
    extent.fill(0);
  }
  return outcomeOf(a, query, resolution);
}

function searchTo(step: number): void {
  last = 3 * step;
  undecided = 0;
  isExhausted = false;
  places.fill(0, 0, 3);
  places.fill(1, 3, 6);
  visit(0, false, false);
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

function placeFunctions(a: FrepObject, b: FrepObject, { poseA, poseB }: Query): void {
  map.fill(0);
  for (let i = 0; i < 3; i++) {
    map[5 * i] = extent[i];
    map[4 * i + 3] = middle[i];
  }
  functionA.start(map, 0);
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
  functionB.start(map, (2 * slack) / b.half);
}

function visit(depth: number, isInA: boolean, isInB: boolean): boolean {
  if (bounds >= mostBounds) {
    isExhausted = true;
    undecided++;
    return endsUndecided;
  }
  bounds++;
  if (depth > deepest) deepest = depth;
  const a = functionA;
  const b = functionB;
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
  if (inA && inB) return take(depth, true);
  const isCertified = mixes && !inA && !inB;
  if (isCertified && areApart(a, b, depth)) return false;
  if (!isForAll || depth === last) {
    if (holdsCentre(a, depth, inA) && holdsCentre(b, depth, inB)) {
      point.fill(0);
      return take(depth, false);
    }
    if (isCertified && holdsCandidate(depth)) {
      point.set(candidate);
      return take(depth, false);
    }
  }
  if (depth === last) {
    undecided++;
    return endsUndecided;
  }
  if (!inA) a.shorten(depth);
  if (!inB) b.shorten(depth);
  const axis = axisAt(depth);
  if (6 * (depth + 2) > places.length) {
    const more = new Float64Array(2 * places.length);
    more.set(places);
    places = more;
  }
  for (let side = -1; side <= 1; side += 2) {
    if (!inA) a.halve(depth, axis, side);
    if (!inB) b.halve(depth, axis, side);
    const at = 6 * depth;
    places.copyWithin(at + 6, at, at + 6);
    const half = places[at + 3 + axis] / 2;
    places[at + 9 + axis] = half;
    places[at + 6 + axis] = places[at + axis] + side * half;
    if (visit(depth + 1, inA, inB)) return true;
  }
  return false;
}

function axisAt(depth: number): number {
  if (!isSlices) return depth % 3;
  return 3 * depth < 2 * last ? depth % 2 : 2;
}

function holdsCentre(side: CellFunction, depth: number, isIn: boolean): boolean {
  if (isIn) return true;
  side.centre(depth);
  return side.centreLower >= 0;
}

/** True if a candidate from the functions' slopes is in both; false is inconclusive. */
function holdsCandidate(depth: number): boolean {
  if (!seek(functionA, functionB, depth)) return false;
  const [x, y, z] = candidate;
  return functionA.valueAt(depth, x, y, z) >= 0 && functionB.valueAt(depth, x, y, z) >= 0;
}

function take(depth: number, isInside: boolean): boolean {
  if (found.length === most) {
    isCut = true;
    return true;
  }
  if (isInside) point.fill(0);
  const place = places.subarray(6 * depth, 6 * depth + 6);
  const at = [0, 1, 2].map((k) => place[k] + place[3 + k] * point[k]);
  found.push([...place, isInside ? 1 : 0, ...at]);
  return !isForAll;
}

function outcomeOf(a: FrepObject, query: Query, resolution: number): Outcome {
  const inCommon = (...place: number[]): number[] => {
    const [x, y, z] = place.map((s, k) => a.center[k] + a.half * (middle[k] + extent[k] * s));
    movePoint(query.poseA, x, y, z, point, 0);
    return [...point];
  };
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
