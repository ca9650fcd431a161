/** Two assets and their poses to a report: by the representation's own path where both are of one, else by the common one. */
import { OptionError } from '../math/errors.ts';
import { identity, normBound, type Pose, validatePose } from '../math/pose.ts';
import { BoundTree, type NodeWriter } from '../query/bound-tree.ts';
import { findClosest, type Nearest } from '../query/closest.ts';
import { contactPoints } from '../query/contact-points.ts';
import { HULL_NUMBERS, hullLoader, solidOf } from '../query/narrow-phase.ts';
import type { ContactPair, OnContact, Outcome, Query, Report, Tolerance, Witness } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { type Operand, traverse } from '../query/traverse.ts';
import { requireSameUnits } from '../query/units.ts';
import { representationOf } from '../representations/registry.ts';

export interface CheckOptions {
  /** 16 numbers each, row-major 4x4 rigid transforms that place a and b in one frame; identity by default. */
  poseA?: ArrayLike<number>;
  poseB?: ArrayLike<number>;
  /** Every contact, not only the first. */
  all?: boolean;
  /** The longest list of contacts; 10,000 by default. */
  maxContacts?: number;
  /** This pair is asked only once: nothing is placed for a kernel, which takes tens of milliseconds and pays from some dozens of queries on. */
  once?: boolean;
  /**
   * Contact is also what is closer than this length, or as close. Decided outside the rounding of distances, about 1e-14 of the sizes, and
   * `undecided` within. 0, the default, is exact. With `budget` or `level`, bounds may prove it without a pair to list.
   */
  clearance?: number;
  /** The least distance of the two surfaces, with witness points. */
  distance?: boolean;
  /** The best answer within so many milliseconds: `undecided` comes with a bracket of the distance. Not together with `all`. */
  budget?: number;
  /** Descend no deeper than this level; what still overlaps there is `undecided`. */
  level?: number;
  /**
   * Speak of the source meshes: `clear` when the stored surfaces are farther apart than both may be from their sources, `contact` only where
   * both keep the sources' triangles; all between is `undecided`, with a bracket of the sources' distance.
   */
  source?: boolean;
  /** Geometry images are checked subsampled to 2^lod + 1 samples a side; triangles are then numbered in the coarser image. */
  lod?: number;
  /**
   * How finely F-reps are searched: 2^resolution cells along an axis. Verdicts of what they leave undecided, and brackets of the distance, get
   * better with it, and queries slower.
   */
  resolution?: number;
  /**
   * How two F-reps halve space: `octants`, all axes in turns, unless given; `slices`, as the seed paper does, x and y down to the resolution and
   * then z: the first contact of a slice is its nearest along a's z, for hundreds of times the cells.
   */
  subdivision?: 'octants' | 'slices';
  /** Where each listed pair touches, with a normal: triangles only. */
  contactPoints?: boolean;
  /**
   * For two k-DOP trees: how many axes a pair of nodes is tested on at most, 1 to (kA + kB) / 2, all by default. Fewer cost less a pair and
   * leave more pairs. Without `level` the verdict and the list of all contacts are the same.
   */
  axes?: number;
  /**
   * `common` leaves out the representations' own traversals; for tests and measurements: the same verdict and list of all contacts. Which
   * contact is met first, and what is met before `level` ends the search, may differ.
   */
  path?: 'common';
  /**
   * Is handed every contact as it is found, before the search goes on; what returns false ends the search, as a list that is cut. In no
   * particular order; the report's list is sorted.
   */
  onContact?: OnContact;
  /** File names for the report. */
  fileA?: string;
  fileB?: string;
  /** Milliseconds that loading took, for the report. */
  loadMs?: number;
}

export const DEFAULT_MAX_CONTACTS = 10_000;
/** Beyond, bounds would leave the range of doubles. */
const LARGEST_CLEARANCE = 1e150;

/**
 * Do the stored surfaces of two assets, each moved by its pose, share a point? How far apart are they?
 *
 * Without `clearance`, `distance` and `budget` two assets of one representation take its own path; everything else the common one.
 *
 * @throws OptionError for a pose that is not rigid, for options that make no sense, for assets in different recorded units, and when it is
 *   called within `onContact`
 * @example const report = check(bunny, blob, { poseB: translation(0.4, 0, 0) });
 *          report.verdict // 'contact'
 */
export function check(a: Asset, b: Asset, options: CheckOptions = {}): Report {
  requireNoCheck();
  isChecking = true;
  try {
    return reportOf(a, b, options);
  } finally {
    isChecking = false;
  }
}

let isChecking = false;

/** Throws within `onContact`: traversals keep their stacks from one query to the next. */
export function requireNoCheck(): void {
  if (isChecking)
    throw new OptionError('check: called within onContact; collect the contacts and check when it has returned');
}

function reportOf(a: Asset, b: Asset, options: CheckOptions): Report {
  const start = performance.now();
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  const [sampledA, sampledB] = options.lod === undefined ? [a, b] : coarser(a, b, options.lod);
  const [assetA, assetB] =
    options.resolution === undefined ? [sampledA, sampledB] : resolved(sampledA, sampledB, options.resolution);
  if (options.source && (sampledA !== a || sampledB !== b))
    throw new OptionError(
      'lod: not with source: of a subsampled image it is not known how far it lies from its source',
    );
  const query = queryOf(assetA, assetB, options);
  if (options.contactPoints) requireTriangles(assetA, assetB);
  const began = performance.now();
  const answer = options.source
    ? answerOfSources(assetA, assetB, query, options, start)
    : answerOf(assetA, assetB, query, options, start);
  const end = performance.now();
  if (options.contactPoints && !answer.outcome.contacts.points) {
    answer.outcome.contacts.points = contactPoints(
      operandOf(assetA, query.poseA),
      operandOf(assetB, query.poseB),
      answer.outcome.contacts.pairs,
    );
  }
  const { outcome, nearest } = answer;
  const isFound = nearest !== null && nearest.a >= 0;
  return {
    verdict: outcome.verdict,
    a: { file: options.fileA ?? null, representation: a.representation },
    b: { file: options.fileB ?? null, representation: b.representation },
    path: answer.path,
    tolerance: addTolerances(toleranceOf(assetA), toleranceOf(assetB)),
    contacts: outcome.contacts,
    distance: options.distance && isFound && nearest.isComplete ? nearest.upper : null,
    witness: isFound
      ? { a: Array.from(nearest.onA), b: Array.from(nearest.onB), pair: [nearest.a, nearest.b] }
      : sharedPoint(outcome),
    bracket: nearest && { lower: nearest.lower, upper: nearest.upper },
    ...(outcome.cells && { cells: outcome.cells }),
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(end - began) },
  };
}

/** Where a native path has found a point of both. */
function sharedPoint({ point, contacts }: Outcome): Witness | null {
  return point ? { a: point, b: point, pair: contacts.pairs[0] } : null;
}

interface Answer {
  outcome: Outcome;
  path: 'native' | 'common';
  nearest: Nearest | null;
}

function answerOf(a: Asset, b: Asset, query: Query, options: CheckOptions, start: number): Answer {
  const { distance = false, budget } = options;
  const isAlike = a.representation === b.representation && options.path !== 'common';
  if (isAlike && !query.clearance && !distance && budget === undefined) {
    const outcome = nativeOutcome(a, b, query, options.once);
    if (outcome) return { outcome, path: 'native', nearest: null };
  }
  // The bounds of solids' cells tell them apart by a cell, their own search by rounding.
  const searched = isAlike && representationOf(a).refine ? searchOf(a, b, query, budget) : undefined;
  if (searched?.verdict === 'contact')
    return { outcome: searched, path: 'native', nearest: distance || budget !== undefined ? shared(searched) : null };
  return answerOfOperands(operandOf(a, query.poseA), operandOf(b, query.poseB), query, options, start, searched);
}

/** By the kind's kernel, unless it would be placed for this query alone or a level is given, which is none of its questions; or else by its search. */
function nativeOutcome(a: Asset, b: Asset, query: Query, once = false): Outcome | undefined {
  const { kernel, search } = representationOf(a);
  const placed = once || query.level !== null ? undefined : kernel?.(a, b);
  return placed?.search(query) ?? search?.(a, b, query);
}

/** By the common path. `searched`: what the representation's own search has found without an answer. */
function answerOfOperands(
  sideA: Operand,
  sideB: Operand,
  query: Query,
  options: CheckOptions,
  start: number,
  searched?: Outcome,
): Answer {
  const { distance = false, budget } = options;
  // Of solids whole faces may be as far apart as the clearance: those that are nearest come first.
  const isOnePair = sideA.solid !== undefined && sideB.solid !== undefined;
  const lists = query.all && !isOnePair;
  const seeksNearest = distance || budget !== undefined || (query.clearance && !lists && (sideA.solid || sideB.solid));
  if (!seeksNearest) return { outcome: traverse(sideA, sideB, query), path: 'common', nearest: null };
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  const goal = { distance, clearance: query.clearance ?? 0, deadline };
  const nearest = findClosest(sideA, sideB, query, goal);
  if (searched?.verdict === 'clear') nearest.isApart = true;
  const found = outcomeOf(nearest, lists ? { ...query, onContact: undefined } : query);
  if (isOnePair && found.contacts.count > 0) found.contacts.complete = query.all;
  if (!lists) return { outcome: found, path: 'common', nearest: distance || budget !== undefined ? nearest : null };
  const listed = traverse(sideA, sideB, query);
  // What a level leaves open in the list, the bracket may have decided.
  if (listed.verdict === 'undecided') listed.verdict = found.verdict;
  return { outcome: listed, path: 'common', nearest };
}

/** What the representation's own search says of contact, whatever the clearance. */
const searchOf = (a: Asset, b: Asset, query: Query, budget?: number): Outcome | undefined =>
  representationOf(a).search?.(a, b, {
    ...query,
    clearance: 0,
    ...(budget !== undefined && { mostCells: Math.max(1, CELLS_A_MILLISECOND * budget) }),
  });

/** Of an ordinary F-rep, with half of the time left for the bracket. */
const CELLS_A_MILLISECOND = 100;

/** The nearest points of two that share one. */
function shared({ point = [], level, tests }: Outcome): Nearest {
  const at = Float64Array.from(point);
  const nothing = { lower: 0, upper: 0, measured: 0, a: 0, b: 0 };
  return { ...nothing, onA: at, onB: at, isApart: false, isComplete: true, level, tests };
}

/** Contact points are known of triangles; what has others is refused before it is found out by a contact. */
function requireTriangles(...assets: Asset[]): void {
  const corners = new Float64Array(HULL_NUMBERS);
  const other = assets.find((asset) => {
    const { refine, hull } = representationOf(asset);
    // A solid in which nothing is found has no hull 0.
    return refine !== undefined || hull(asset, 0, corners) !== 3;
  });
  if (other) throw new OptionError(`contactPoints: known of triangles only, found ${other.representation}`);
}

/**
 * What is known of the sources. Where assets keep their sources' triangles these are tested; otherwise a point of a source is within a margin of
 * the stored surface, that of its hull or `missing`, and by the rounding of coordinates beyond: cubes, say, end at the last double before
 * the next cube.
 */
function answerOfSources(a: Asset, b: Asset, query: Query, options: CheckOptions, start: number): Answer {
  const tolerance = addTolerances(toleranceOf(a), toleranceOf(b));
  if (tolerance === null) {
    throw new OptionError(
      'source: an asset records no tolerance, how far it lies from its source; without it nothing is known of that',
    );
  }
  const isKept = [a, b].every((asset) => !representationOf(asset).source?.(asset));
  if (isKept && tolerance.missing === 0 && tolerance.excess === 0) return answerOf(a, b, query, options, start);
  // A search among solids knows of no margins: there the whole image's tolerance stands for them.
  const isSolid = [a, b].some((asset) => representationOf(asset).refine !== undefined);
  const sideA = sourceOperandOf(a, query.poseA, !isSolid);
  const sideB = sourceOperandOf(b, query.poseB, !isSolid);
  if (sideA.isExact && sideB.isExact) return answerOfTriangles(sideA, sideB, query, options, start);
  const sizes = sideA.reach + sideB.reach + translationOf(query.poseA) + translationOf(query.poseB);
  const rounding = 2 ** -44 * sizes;
  const beyond = sideA.beyond + sideB.beyond + rounding;
  const threshold = (query.clearance ?? 0) + beyond;
  const deadline = options.budget === undefined ? Number.POSITIVE_INFINITY : start + options.budget;
  const goal = { distance: options.distance ?? false, clearance: threshold, deadline };
  const nearest = findClosest(sideA, sideB, query, goal);
  const isClear = nearest.lower > threshold;
  return {
    outcome: {
      verdict: isClear ? 'clear' : 'undecided',
      contacts: { count: 0, complete: isClear, pairs: [] },
      level: nearest.level,
      tests: nearest.tests,
    },
    path: 'common',
    nearest: {
      ...nearest,
      lower: Math.max(0, nearest.lower - beyond),
      upper: nearest.upper + (isSolid ? (sideA.excess ?? 0) + (sideB.excess ?? 0) : 0) + rounding,
      ...(nearest.a >= 0 && { a: sideA.triangle(nearest.a), b: sideB.triangle(nearest.b) }),
      isComplete: false,
    },
  };
}

/** Exactly, of two sides whose hulls are their sources' triangles; a triangle may be several hulls, and counts once. */
function answerOfTriangles(
  sideA: SourceOperand,
  sideB: SourceOperand,
  query: Query,
  options: CheckOptions,
  start: number,
): Answer {
  const seen = new Map<number, Set<number>>();
  const found: { triangles: ContactPair; hulls: ContactPair }[] = [];
  let isCut = false;
  const onContact = (p: number, q: number): boolean => {
    const [i, j] = [sideA.triangle(p), sideB.triangle(q)];
    const partners = seen.get(i) ?? new Set();
    if (partners.has(j)) return true;
    isCut = found.length === query.maxContacts;
    if (isCut) return false;
    seen.set(i, partners.add(j));
    found.push({ triangles: [i, j], hulls: [p, q] });
    isCut = query.onContact?.(i, j) === false;
    return !isCut;
  };
  const answer = answerOfOperands(
    sideA,
    sideB,
    { ...query, maxContacts: Number.MAX_SAFE_INTEGER, onContact },
    options,
    start,
  );
  const { contacts } = answer.outcome;
  found.sort(({ triangles: [i, j] }, { triangles: [k, l] }) => i - k || j - l);
  contacts.pairs = found.map(({ triangles }) => triangles);
  contacts.count = found.length;
  if (isCut) contacts.complete = false;
  if (options.contactPoints)
    contacts.points = contactPoints(
      sideA,
      sideB,
      found.map(({ hulls }) => hulls),
    );
  const { nearest } = answer;
  if (nearest && nearest.a >= 0) {
    nearest.a = sideA.triangle(nearest.a);
    nearest.b = sideB.triangle(nearest.b);
  }
  return answer;
}

interface SourceOperand extends Operand {
  /** Whether hulls are the source's own triangles; and then the number of each. */
  isExact: boolean;
  triangle(id: number): number;
  /** How far the source may lie beyond bounds and hulls that say nothing of it themselves, in the common frame. */
  beyond: number;
}

/** One side's source, as far as its asset knows it. */
function sourceOperandOf(asset: Asset, pose: Pose, hasMargins: boolean): SourceOperand {
  const operand = operandOf(asset, pose);
  const representation = representationOf(asset);
  const { missing, excess } = toleranceOf(asset) ?? { missing: 0, excess: 0 };
  const norm = normBound(pose);
  const view = representation.source?.(asset);
  const own = {
    ...operand,
    excess: norm * excess,
    isExact: false,
    triangle: (id: number) => id,
    beyond: norm * missing,
  };
  if (!view) return { ...own, isExact: missing === 0 && excess === 0 };
  const { triangle, margin, reach } = view;
  if (!triangle && !hasMargins) return own;
  const tree = treeOf(sourceTrees, asset, view.unfold);
  const load = hullLoader(view.hull, pose);
  if (triangle) return { ...operand, tree, load, reach, isExact: true, triangle, beyond: 0 };
  return { ...own, tree, load, reach, margin: (id) => norm * margin(id), beyond: 0 };
}

const translationOf = (pose: Pose): number => Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);

/** What the nearest hulls say of contact: exactly without a clearance, else outside the rounding of the distance. */
function outcomeOf(nearest: Nearest, { clearance = 0, onContact }: Query): Outcome {
  // Bounds alone may prove that something is as close, without saying what.
  const isContact = nearest.upper <= clearance;
  const isClear = clearance === 0 ? nearest.isApart : nearest.lower > clearance;
  const pairs: ContactPair[] = nearest.measured <= clearance ? [[nearest.a, nearest.b]] : [];
  for (const [p, q] of pairs) onContact?.(p, q);
  return {
    verdict: isContact ? 'contact' : isClear ? 'clear' : 'undecided',
    contacts: { count: pairs.length, complete: isClear, pairs },
    level: nearest.level,
    tests: nearest.tests,
  };
}

/** Both assets subsampled, where their representation can be. */
function coarser(a: Asset, b: Asset, lod: number): [Asset, Asset] {
  const [forA, forB] = [a, b].map((asset) => representationOf(asset).coarser);
  if (!forA && !forB) {
    throw new OptionError(
      `lod: one of the two must be a geometry image, found ${a.representation} and ${b.representation}`,
    );
  }
  return [forA ? forA(a, lod) : a, forB ? forB(b, lod) : b];
}

/** Both assets searched to 2^resolution cells along an axis, where their representation can be. */
function resolved(a: Asset, b: Asset, resolution: number): [Asset, Asset] {
  const [forA, forB] = [a, b].map((asset) => representationOf(asset).resolved);
  if (!forA && !forB) {
    throw new OptionError(
      `resolution: one of the two must be an F-rep, found ${a.representation} and ${b.representation}`,
    );
  }
  return [forA ? forA(a, resolution) : a, forB ? forB(b, resolution) : b];
}

const toleranceOf = (asset: Asset): Tolerance => representationOf(asset).tolerance(asset);

/** Trees that have been unfolded so far, each as long as its asset is alive; and those of sources. */
const trees = new WeakMap<Asset, BoundTree>();
const sourceTrees = new WeakMap<Asset, BoundTree>();

function treeOf(
  known: WeakMap<Asset, BoundTree>,
  asset: Asset,
  unfold: (node: number, into: NodeWriter) => void,
): BoundTree {
  let tree = known.get(asset);
  if (!tree) {
    tree = new BoundTree(unfold);
    known.set(asset, tree);
  }
  return tree;
}

function operandOf(asset: Asset, pose: Pose): Operand {
  const representation = representationOf(asset);
  const tree = treeOf(trees, asset, (node, into) => representation.unfold(asset, node, into));
  const { refine, core } = representation;
  const reach = representation.reach(asset);
  const load = hullLoader((id, out) => representation.hull(asset, id, out), pose);
  const solid =
    refine &&
    solidOf(
      (points, count, slack, effort) => refine(asset, points, count, slack, effort),
      core && ((id, out) => core(asset, id, out)),
      pose,
      reach,
    );
  return { tree, reach, load, solid };
}

/** How far both together may be from their sources. */
export function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}

/** To a microsecond. */
export const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Whether two geometry images answer by the tiles that a descent enters; for everything else they are read whole. */
export function isAnsweredByTiles(options: CheckOptions): boolean {
  const { clearance, distance, source, contactPoints, budget, level, lod, resolution, path } = options;
  if (clearance || distance || source || contactPoints || path === 'common') return false;
  return [budget, level, lod, resolution].every((option) => option === undefined);
}

/** Where no pose is given; nothing writes to poses. */
const UNMOVED = identity();

export function queryOf(a: Asset, b: Asset, options: CheckOptions): Query {
  const maxContacts = options.maxContacts ?? DEFAULT_MAX_CONTACTS;
  if (!Number.isInteger(maxContacts) || maxContacts < 1) {
    throw new OptionError(`maxContacts ${maxContacts}: expected a whole number from 1`);
  }
  const clearance = options.clearance ?? 0;
  if (!(clearance >= 0 && clearance <= LARGEST_CLEARANCE)) {
    throw new OptionError(`clearance ${clearance}: expected a length from 0 to ${LARGEST_CLEARANCE}`);
  }
  const { budget } = options;
  if (budget !== undefined && !(budget >= 0)) throw new OptionError(`budget ${budget}: expected milliseconds from 0`);
  if (budget !== undefined && options.all) {
    throw new OptionError(
      'budget: it buys a verdict and a bracket, not the list of all contacts; leave out one of the two',
    );
  }
  const level = options.level ?? null;
  if (level !== null && (!Number.isInteger(level) || level < 0)) {
    throw new OptionError(`level ${level}: expected a whole number from 0`);
  }
  return {
    poseA: options.poseA ? validatePose(options.poseA, 'pose of a') : UNMOVED,
    poseB: options.poseB ? validatePose(options.poseB, 'pose of b') : UNMOVED,
    all: options.all ?? false,
    maxContacts,
    level,
    clearance,
    axes: axesOf(a, b, options.axes),
    subdivision: subdivisionOf(a, b, options.subdivision),
    onContact: options.onContact,
  };
}

function subdivisionOf(a: Asset, b: Asset, name: CheckOptions['subdivision'] = 'octants'): 'octants' | 'slices' {
  if (name !== 'octants' && name !== 'slices') {
    throw new OptionError(`subdivision ${name}: expected octants or slices`);
  }
  if (name === 'slices' && !(representationOf(a).resolved && representationOf(b).resolved)) {
    throw new OptionError(`subdivision: both must be F-reps, found ${a.representation} and ${b.representation}`);
  }
  return name;
}

/** Null for all axes. */
function axesOf(a: Asset, b: Asset, axes: number | undefined): number | null {
  if (axes === undefined) return null;
  const { name, mostAxes } = representationOf(a);
  if (!mostAxes || b.representation !== name) {
    throw new OptionError(`axes: both must be k-DOP trees, found ${mostAxes ? b.representation : name}`);
  }
  const most = mostAxes(a, b);
  if (!Number.isInteger(axes) || axes < 1 || axes > most) {
    throw new OptionError(`axes ${axes}: expected a whole number from 1 to ${most}`);
  }
  return axes;
}
