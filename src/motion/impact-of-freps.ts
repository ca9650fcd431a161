/**
 * Finds the first contact of F-reps that depend on time with each other or with other assets. It
 * subdivides space and time, the earliest time first.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 1, counts "time-dependent surfaces" among the main problems of earlier algorithms,
 * and subdivides space for constant time only. Here time is one more coordinate: bounds of
 * functions on cells hold at all times of a piece (cell-function.ts). So a search of space
 * (descent.ts; for hulls traverse.ts by refine.ts) says `clear` or `contact` for all times of the
 * piece.
 *
 * Pieces are halved, the earlier half first, until they are clear, in contact, or no longer than
 * the resolution. An undecided piece is also searched at its middle: if the two touch then, later
 * contact cannot be first. So the pieces before `first.from` are proved clear, with both ends, and
 * leave no gap: a piece begins with the very double that the one before ends with. A search of a
 * piece ends at the first cell that it cannot decide. The error of bounds decreases with products
 * of lengths and times, so an impact needs as many steps as digits, each with few cells; see
 * refine.ts.
 *
 * With `allIntervals` a piece is in contact if one point is proved to be in both at each of its
 * times. The point is the search's own, or one deep in both at the middle (`deepened`), checked
 * against both functions' bounds. With a clearance, the best-first search for distances runs
 * (closest.ts): its lower ends bound all times of the piece, and its upper ends belong to points in
 * the solids at each of them.
 *
 * After a million bounds the rest is undecided, but contact is still looked for at times farther
 * and farther on, to find an obvious one. Undecided triangles and boxes end the search of a piece,
 * too: at the first, or after some if a contact at one time may be proved by another.
 */
import { OptionError } from '../base/errors.ts';
import { type OptionTypes, requireOptionTypes, requireThat } from '../base/require.ts';
import type { Solid } from '../engine/leaves.ts';
import { operandOf } from '../engine/operand.ts';
import { type CheckOptions, queryOf } from '../engine/options.ts';
import { check } from '../engine/prepared.ts';
import type { Cell, ContactPair, Query, Verdict } from '../engine/records.ts';
import type { Asset, Refined } from '../engine/representation.ts';
import { solidOf } from '../engine/solid-pairs.ts';
import { type Operand, traverse } from '../engine/traverse.ts';
import type { Pose } from '../math/pose.ts';
import { searchCells } from '../representations/frep/search/descent.ts';
import { refineFrep } from '../representations/frep/search/refine.ts';
import { reachOfFrep } from '../representations/frep/tree/cell-function.ts';
import { depthAt, timeOf } from '../representations/frep/tree/evaluate.ts';
import { duringOf, type FrepObject, MOST_RESOLUTION } from '../representations/frep/tree/program.ts';
import { representationOf } from '../representations/kinds.ts';
import type { Impact, ImpactOptions, TimeInterval } from './motion.ts';

export interface FrepImpactOptions extends ImpactOptions {
  /** The times to search. Default: those that both models cover. */
  begin?: number;
  end?: number;
  /** The poses of the two, as for `check`. */
  poseA?: CheckOptions['poseA'];
  poseB?: CheckOptions['poseB'];
  /** Resolution in space: 2^resolution cells along an axis. Default: 10. */
  resolution?: number;
}

/** The result of `impactOfFreps`. */
export interface FrepImpact extends Impact {
  /** x, y, z of a common point of two F-reps at `first.to`; otherwise, or if unknown, null. */
  point: number[] | null;
  /** A cell around the point, along a's axes. */
  cell: Cell | null;
}

const TIME_RESOLUTION = 2 ** -20;
const MOST_BOUNDS = 2 ** 20;
/** Limits of one search: of a piece or a single time, and of the shortest pieces. */
const BOUNDS_OF_PIECE = 2 ** 12;
const BOUNDS_OF_SHORTEST = 2 ** 16;
const COARSE = 6;
const COARSE_DISTANCE = 4;
/** At a single time few cells are left, so the resolution may be so much finer. */
const FINER = 4;
/** Undecided hulls before a search gives up, if a contact may make up for them. */
const MOST_UNSURE = 64;

/**
 * Returns when two assets first touch if one or both are F-reps that depend on time. The poses of
 * both are fixed.
 *
 * @throws OptionError if neither depends on time, and for times that one of them doesn't cover
 * @example const sea = build(readFrep(await readFile('assets/swell.frep.json')));
 *          const ball = build(readFrep('{"object": {"sphere": {"radius": 0.075}}}'));
 *          const poseB = translation(0.25, 0.25, 0.125);
 *          const { verdict, first, point } = impactOfFreps(sea, ball, { poseB });
 *          verdict // 'contact'
 *          first.to - first.from < 1e-4 // true: apart until the one, in contact at the other
 *          point.length // 3: in both at first.to
 *          impactOfFreps(sea, ball, { poseB: translation(0.25, 0.25, 0.175) }).verdict // 'clear'
 */
export function impactOfFreps(a: Asset, b: Asset, options: FrepImpactOptions = {}): FrepImpact {
  const search = new TimeSearch(a, b, options);
  search.run();
  return search.impact();
}

function spanOf(assets: readonly Asset[], { begin, end }: FrepImpactOptions): TimeInterval {
  const spans = assets.flatMap((asset) => (asset as Partial<FrepObject>).span ?? []);
  if (spans.length === 0) throw new OptionError('times: neither of the two is an F-rep that depends on time');
  const from = begin ?? Math.max(...spans.filter((_, i) => i % 2 === 0));
  const to = end ?? Math.min(...spans.filter((_, i) => i % 2 === 1));
  if (!(from <= to))
    throw new OptionError(`times ${from} to ${to}: expected a begin before the end, within the times of both models`);
  // Throws if a model doesn't cover the span.
  for (const asset of assets) at(asset, from, to);
  return { from, to };
}

const isFrep = (asset: Asset): asset is FrepObject => asset.representation === 'frep';

const at = (asset: Asset, from: number, to: number): Asset => (isFrep(asset) ? duringOf(asset, from, to) : asset);

interface Piece extends TimeInterval {
  depth: number;
}

interface Found {
  verdict: Verdict;
  point: number[] | null;
  cell: Cell | null;
  pair: ContactPair | null;
}

const TYPES: OptionTypes = {
  ...{ begin: 'number', end: 'number', poseA: 'any', poseB: 'any', resolution: 'number', timeResolution: 'number' },
  ...{ clearance: 'number', allIntervals: 'boolean', distance: 'boolean', budget: 'number' },
} satisfies Record<keyof FrepImpactOptions, OptionTypes[string]>;

class TimeSearch {
  private readonly a: Asset;
  private readonly b: Asset;
  private readonly query: Query;
  private readonly span: TimeInterval;
  private readonly shortest: number;
  private readonly finest: number;
  private readonly deadline: number;
  private readonly isForAll: boolean;
  private readonly tests = { bounds: 0, hulls: 0, times: 0 };
  private from: number | null = null;
  private to: number | null = null;
  private touch: Found | null = null;
  private unsureTo = 0;
  private readonly intervals: NonNullable<Impact['intervals']> = [];

  constructor(a: Asset, b: Asset, options: FrepImpactOptions) {
    requireOptionTypes(options, TYPES);
    representationOf(a, 'a');
    representationOf(b, 'b');
    const { poseA, poseB, clearance, timeResolution = TIME_RESOLUTION, budget, resolution } = options;
    requireThat(timeResolution > 0 && timeResolution <= 1, 'timeResolution', 'a part of 1 above 0', timeResolution);
    requireThat(budget === undefined || budget >= 0, 'budget', 'milliseconds from 0', budget);
    if (options.distance)
      throw new OptionError('distance: it applies to rigid motions, not to objects that depend on time');
    this.span = spanOf([a, b], options);
    this.query = queryOf({
      ...(poseA && { poseA }),
      ...(poseB && { poseB }),
      ...(clearance !== undefined && { clearance }),
    });
    const finely = (asset: Asset): Asset =>
      resolution !== undefined && isFrep(asset)
        ? (representationOf(asset).own!.options!.resolution.instead!(asset, resolution) as FrepObject)
        : asset;
    this.a = finely(a);
    this.b = finely(b);
    this.finest = Math.max(...[this.a, this.b].filter(isFrep).map((frep) => frep.resolution));
    this.shortest = timeResolution * (this.span.to - this.span.from);
    this.deadline = budget === undefined ? Number.POSITIVE_INFINITY : performance.now() + budget;
    this.isForAll = options.allIntervals ?? false;
  }

  run(): void {
    const { from, to } = this.span;
    const pieces: Piece[] = [{ from, to, depth: 0 }];
    for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
      if (!this.isForAll && this.to !== null && piece.from >= this.to) continue;
      if (this.isSpent()) {
        this.note('undecided', piece);
        continue;
      }
      const found = this.ask(piece.from, piece.to, piece.depth);
      if (found.verdict === 'clear') continue;
      if (found.verdict === 'contact') {
        this.touchAt(piece.from, found);
        this.note('contact', piece);
      } else this.halve(piece, pieces);
    }
    if (this.from !== null && this.to === null) this.probe(this.from);
  }

  private probe(from: number): void {
    const { to } = this.span;
    for (let wait = this.shortest; this.to === null && wait > 0 && performance.now() <= this.deadline; wait *= 2) {
      const time = Math.min(to, from + wait);
      const found = this.ask(time, time, 0);
      if (found.verdict === 'contact') this.touchAt(time, found);
      if (time === to) break;
    }
  }

  private halve(piece: Piece, pieces: Piece[]): void {
    const { from, to, depth } = piece;
    const middle = from / 2 + to / 2;
    const isShort = to - from <= this.shortest || !(from < middle && middle < to);
    const time = isShort ? to : middle;
    if (this.isForAll || this.to === null || time < this.to) {
      const found = this.ask(time, time, depth);
      if (found.verdict === 'contact') this.touchAt(time, found);
      if (this.isForAll && found.point && this.holdsOne(found.point, piece)) {
        this.touchAt(from, found);
        this.note('contact', piece);
        return;
      }
    }
    if (isShort) {
      this.note('undecided', piece);
      return;
    }
    pieces.push({ from: middle, to, depth: depth + 1 }, { from, to: middle, depth: depth + 1 });
  }

  private touchAt(time: number, found: Found): void {
    if (this.to !== null && this.to <= time) return;
    this.to = time;
    this.touch = found;
  }

  /** Called in the order of time. */
  private note(verdict: 'contact' | 'undecided', { from, to }: TimeInterval): void {
    this.from ??= from;
    if (verdict === 'undecided' && (this.unsureTo === from || this.from === from)) this.unsureTo = to;
    const last = this.intervals.at(-1);
    if (last?.verdict === verdict && last.to === from) last.to = to;
    else this.intervals.push({ from, to, verdict });
  }

  private isSpent(): boolean {
    return this.tests.bounds + this.tests.hulls > MOST_BOUNDS || performance.now() > this.deadline;
  }

  private ask(from: number, to: number, depth: number): Found {
    this.tests.times++;
    const isShortest = to - from <= this.shortest;
    const level = isShortest ? this.finest : Math.min(this.finest, COARSE + depth);
    const mostCells = from === to || !isShortest ? BOUNDS_OF_PIECE : BOUNDS_OF_SHORTEST;
    if (this.query.clearance) return this.askDistance(from, to, Math.min(this.finest, COARSE_DISTANCE + depth));
    if (!isFrep(this.a) || !isFrep(this.b)) return this.askHulls(from, to, level, mostCells);
    if (from === to) return this.searchSpace(from, to, Math.min(MOST_RESOLUTION, level + FINER), mostCells, false);
    return this.searchSpace(from, to, level, mostCells, true);
  }

  /** Tests a point that is deep in both at the middle of the piece. */
  private holdsOne(point: number[], { from, to }: TimeInterval): boolean {
    const { a, b, query } = this;
    if (!isFrep(a) || !isFrep(b)) return false;
    const solids: [Placed, Placed] = [
      { object: duringOf(a, from, to), pose: query.poseA },
      { object: duringOf(b, from, to), pose: query.poseB },
    ];
    const size = Math.min(a.half, b.half) / 16;
    const hull = { points: Float64Array.from(deepened(solids, point, size)), count: 1 };
    return solids.every(({ object, pose }) => {
      const refine = (...asked: [Float64Array, number, number, number]): Refined => refineFrep(object, ...asked);
      return solidOf(refine, undefined, pose, reachOfFrep(object)).ask(hull, 0, 1) === 'in';
    });
  }

  private searchSpace(from: number, to: number, level: number, mostCells: number, endsUndecided: boolean): Found {
    const [a, b] = [this.a, this.b].map((asset) => ({ ...at(asset, from, to), resolution: level }) as FrepObject);
    const options = { subdivision: 'octants', mixes: true, endsUndecided } as const;
    const { verdict, tests, cells } = searchCells(a, b, { ...this.query, mostCells }, options);
    this.tests.bounds += tests.bounds;
    const cell = cells?.contacts[0] ?? null;
    return { verdict, point: cell?.point ?? null, cell, pair: verdict === 'contact' ? [0, 0] : null };
  }

  /** With a clearance. Then the search for distances decides more than a descent. */
  private askDistance(from: number, to: number, resolution: number): Found {
    const [a, b] = [this.a, this.b].map((asset) => at(asset, from, to));
    const { poseA, poseB, clearance = 0 } = this.query;
    const { verdict, tests, contacts } = check(a, b, { poseA, poseB, clearance, resolution });
    this.tests.bounds += tests.bounds;
    this.tests.hulls += tests.hulls;
    return { verdict, point: null, cell: null, pair: contacts.pairs[0] ?? null };
  }

  private askHulls(from: number, to: number, resolution: number, mostParts: number): Found {
    const sideOf = (asset: Asset, pose: Pose): Operand => {
      const view = at(asset, from, to);
      return operandOf(isFrep(view) ? ({ ...view, resolution } as FrepObject) : view, pose);
    };
    const mostUnsure = from === to || this.isForAll ? MOST_UNSURE : 1;
    let unsure = 0;
    // Enough undecided hulls end the search like a contact.
    const counted = (solid: Solid | undefined): Solid | undefined =>
      solid && {
        ...solid,
        ask: (hull, within, effort) => {
          const refined = solid.ask(hull, within, Math.min(effort, mostParts));
          if (refined === 'unsure') unsure++;
          return unsure >= mostUnsure ? 'in' : refined;
        },
      };
    const [a, b] = [sideOf(this.a, this.query.poseA), sideOf(this.b, this.query.poseB)];
    const outcome = traverse({ ...a, solid: counted(a.solid) }, { ...b, solid: counted(b.solid) }, this.query);
    this.tests.bounds += outcome.tests.bounds;
    this.tests.hulls += outcome.tests.hulls;
    const isCut = unsure >= mostUnsure;
    const verdict = isCut || (outcome.verdict === 'clear' && unsure > 0) ? 'undecided' : outcome.verdict;
    return { verdict, point: null, cell: null, pair: verdict === 'contact' ? outcome.contacts.pairs[0] : null };
  }

  impact(): FrepImpact {
    const { from, to, touch, tests, intervals, isForAll } = this;
    const verdict: Verdict = to !== null ? 'contact' : from !== null ? 'undecided' : 'clear';
    const first = from === null ? null : { from: to === null ? from : Math.min(from, to), to: to ?? this.unsureTo };
    return {
      verdict,
      first,
      intervals: isForAll ? intervals : null,
      distance: null,
      pair: touch?.pair ?? null,
      point: touch?.point ?? null,
      cell: touch?.cell ?? null,
      tests,
    };
  }
}

/*
 * Moves a point of two F-reps to one deeper in both, which stays in them for longer as they change.
 * Plain doubles: the caller has to prove the result.
 *
 * Two kinds of steps alternate: against the normal of the F-rep that the point is less deep in, and
 * against the sum of both. After one that helps, the next of its kind is twice as long, else half.
 */

export interface Placed {
  object: FrepObject;
  pose: Pose;
}

const STEPS = 96;

const cube = new Float64Array(3);
const turned = new Float64Array(3);

/** Approximate depth of a common-frame point; `normal` receives the outward normal there. */
function depthIn({ object, pose: m }: Placed, [x, y, z]: readonly number[], normal: Float64Array): number {
  const { program, domain, center, half } = object;
  const [p, q, r] = [x - m[3], y - m[7], z - m[11]];
  for (let k = 0; k < 3; k++) cube[k] = (m[k] * p + m[4 + k] * q + m[8 + k] * r - center[k]) / half;
  const depth = half * depthAt(program, domain, cube, turned, timeOf(object));
  for (let k = 0; k < 3; k++) {
    normal[k] = m[4 * k] * turned[0] + m[4 * k + 1] * turned[1] + m[4 * k + 2] * turned[2];
  }
  return depth;
}

function deepened(solids: readonly [Placed, Placed], from: readonly number[], size: number): number[] {
  const normals = [new Float64Array(3), new Float64Array(3)];
  const least = new Float64Array(3);
  const common = new Float64Array(3);
  const depthAtPoint = (point: readonly number[]): number => {
    const [inA, inB] = solids.map((solid, i) => depthIn(solid, point, normals[i]));
    for (let k = 0; k < 3; k++) {
      least[k] = normals[inA < inB ? 0 : 1][k];
      common[k] = normals[0][k] + normals[1][k];
    }
    return Math.min(inA, inB);
  };
  let best = [...from];
  let depth = depthAtPoint(best);
  const ways = [least.slice(), common.slice()];
  const steps = [size, size];
  for (let n = 0; n < STEPS; n++) {
    const kind = n & 1;
    const next = best.map((x, k) => x - steps[kind] * ways[kind][k]);
    const reached = depthAtPoint(next);
    if (reached > depth) {
      best = next;
      depth = reached;
      ways[0].set(least);
      ways[1].set(common);
      steps[kind] *= 2;
    } else steps[kind] /= 2;
  }
  return best;
}
