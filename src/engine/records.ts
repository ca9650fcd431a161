/**
 * The records of a check: its questions and answers, which scripts and the library share, and the
 * goal, visits and outcome of a search.
 */

import { LITTLE_ENDIAN } from '../math/byte-order.ts';
import type { Pose } from '../math/pose.ts';
import type { BoundTree } from './bound-tree.ts';

/** Two surfaces share no point, share one, or that is unknown (docs/verdicts.md). */
export type Verdict = 'clear' | 'contact' | 'undecided';

export interface Query {
  /** Poses of the assets in the common frame. */
  poseA: Pose;
  poseB: Pose;
  /** Finds every contact, not only the first. */
  all: boolean;
  /** Most contacts to list; the search ends at one more. */
  maxContacts: number;
  /** Deepest level of the hierarchies to descend to. */
  level: number | null;
  /** Distances up to this are contact: a length in the common frame; 0 by default. */
  clearance?: number;
  /** True if a contact's outcome needs a witness. */
  findsWitness?: boolean;
  /**
   * Options that the kind of both assets alone understands, by name: see OwnMembers.options.
   */
  own?: Readonly<Record<string, unknown>> | undefined;
  /** `performance.now()` when the search must end, `undecided` if need be; none by default. */
  deadline?: number;
  /** Lowers the number of cells that two F-reps' own path visits at most. */
  mostCells?: number;
  /** Receives every contact as it is found, before the search goes on; false ends the search. */
  onContact?: OnContact | undefined;
  /** Receives every pair of nodes and of primitives that the search tests (see `tests`). */
  onVisit?: OnVisit | undefined;
}

/** Receives the numbers of two touching primitives of a and b. Return false to end the search. */
export type OnContact = (a: number, b: number) => unknown;

/** Numbers of two touching primitives: one of a, one of b. */
export type ContactPair = [number, number];

/** The touching pairs of primitives that a check has found. */
export interface Contacts {
  /** Number of listed contacts. */
  count: number;
  /** True if the list has every contact. */
  complete: boolean;
  /** Sorted by the number in a, then in b. */
  pairs: ContactPair[];
  /** On request, one for each pair. */
  points?: ContactPoint[];
  /**
   * On request, if the list is complete: the whole intersection of the surfaces. Areas come first,
   * then curves, then points, the largest first.
   */
  patches?: ContactPatch[];
}

/**
 * A connected part of two surfaces' intersection: coplanar faces, a curve, or a point. In the
 * common frame; lengths in its unit. docs/contacts.md defines the parts.
 */
export interface ContactPatch {
  kind: 'area' | 'curve' | 'point';
  /** 0 unless it is an area. */
  area: number;
  /** Length of a curve, or of an area's border; 0 for a point. */
  length: number;
  /** x, y, z: the center of the area, or of the curve. */
  centre: number[];
  /** Unit vector that pushes a off b there, if both surfaces are oriented outward. */
  normal: number[];
  /** At most four points that span the patch, x, y, z each, in order around the normal. */
  points: number[][];
  /** Curve or area border: paths of points, x, y, z each; closed ones repeat the first. */
  outline: number[][][];
  /** Number of listed pairs that touch there. Each pair counts for one patch. */
  pairs: number;
}

/** Contact of two primitives, in the common frame; or nearest points of a close pair. */
export interface ContactPoint {
  /** The ends of the intersection, x, y, z each; or the nearest point of a's and of b's. */
  from: number[];
  to: number[];
  /** Unit vector that moves a away from b, if both surfaces are oriented outward. */
  normal: number[];
  /**
   * How far the two triangles overlap along the normal: moving a's triangle by this distance
   * separates the two. It is not a penetration depth of the bodies, and far larger if triangles are
   * large. Negative if the two only come close: minus their distance.
   */
  triangleDepth: number;
  /** @deprecated old name of triangleDepth, kept for one version */
  depth: number;
}

/** The two nearest points found (x, y, z in the common frame) and their primitives. */
export interface Witness {
  a: number[];
  b: number[];
  pair: ContactPair;
}

/**
 * Proved bounds: lower <= distance <= upper. For an F-rep either may be Infinity (null in JSON), if
 * no point of it was found or it is empty.
 */
export interface Bracket {
  lower: number;
  upper: number;
}

/** A box along a's own axes, in the common frame. */
export interface Cell {
  /** x, y, z in the common frame. */
  center: number[];
  /** Lengths of its edges along a's axes. */
  size: number[];
  /** True if the whole cell belongs to both solids; otherwise only `point` is known to. */
  isInside: boolean;
  point: number[];
}

/** The search for a common point of two F-reps. */
export interface CellSearch {
  /** 2^resolution cells along each axis of a's frame. */
  resolution: number;
  /** Edges of the smallest cells. */
  size: number[];
  /** Number of undecided cells: the smallest, and larger ones if the search gave up. */
  undecided: number;
  /**
   * True if the whole region was searched. False if the search gave up at a million cells (with
   * `all` or slices, sixteen million), or if the list was cut.
   */
  complete: boolean;
  /** Cells with a common point: one that proves the contact, or with `all` every proved one. */
  contacts: Cell[];
}

/**
 * Answer of a search that proves nothing: it found a common point, it found none, or it gave up.
 * The verdict of the report is proved.
 */
export type UnprovedAnswer = 'found' | 'none' | 'unfinished';

/** The seed paper's search of two F-reps, with its tests as printed. See docs/frep.md. */
export interface SeedSearch {
  answer: UnprovedAnswer;
  /** True if every slice was searched. False if it ended at the first point, or gave up. */
  complete: boolean;
  /** 2^resolution by 2^resolution slices, and as many parts of a slice. */
  resolution: number;
  /** Number of tested cells: bars, and parts of slices. */
  cells: number;
  /** Number of tests of quadrics (8), perturbed quadrics (9) and perturbations (10). */
  tests: { quadric: number; freeform: number; perturbation: number };
  /** Number of slices that may hold a common point, by the tests. */
  slices: number;
  /** First point of each slice that has one (x, y, z in the common frame); one without `all`. */
  points: number[][];
}

/** The random search of two F-reps. See docs/frep.md. */
export interface RandomSearch {
  answer: UnprovedAnswer;
  /** Number of start points, and of evaluations of both functions. */
  trials: number;
  evaluations: number;
  /**
   * A point, x, y, z in the common frame, where the intersection's function is not negative. Null
   * if none was found.
   */
  point: number[] | null;
}

/** The answer of a traversal. */
export interface Outcome {
  /** A common point, in the common frame, if one was found. */
  point?: number[];
  /** Points of the first pair in contact, if the query asks for them; null if none is known. */
  witness?: Witness | null;
  cells?: CellSearch;
  /** With `search: 'seed'`; its cells are counted in `tests`, too. */
  seed?: SeedSearch;
  /** With `search: 'random'`. */
  random?: RandomSearch;
  verdict: Verdict;
  contacts: Contacts;
  /** Bounds of the distance in the common frame, if the search has them. */
  upper?: number;
  lower?: number;
  /** Deepest level of either hierarchy that was reached. */
  level: number;
  /** Number of tested pairs of bounding volumes and of leaf primitives. */
  tests: { bounds: number; hulls: number };
}

/**
 * Lengths in model units. `missing`: the maximum distance of the source's points from the stored
 * surface. `excess`: the maximum distance of stored points from the source. Null if not computed.
 */
export type Tolerance = { missing: number; excess: number } | null;

/**
 * The engine that answered.
 * - `kernel`: the search of one kind in WebAssembly
 * - `convex`: the closed forms of primitives
 * - `search`: the own search of one kind
 * - `tiles`: the search of geometry images that are read in parts
 * - `closest`: the best-first search for distances
 * - `common`: the search for all kinds
 *
 * The first contact and `tests` may depend on the engine. The verdict and the complete list never
 * do. docs/engines.md has the table.
 */
export type Engine = 'kernel' | 'convex' | 'search' | 'tiles' | 'closest' | 'common';

/**
 * Relation of two closed sets.
 *
 * - `same`: the sets are equal
 * - `inside`: one is in the other; their borders may touch
 * - `overlap`: their insides meet, and neither is in the other
 * - `touch`: they meet, but their insides do not
 * - `near`: they are no farther apart than the clearance
 * - `clear`: they are farther apart
 * - `contact`: the surfaces meet, but one of the two bounds no solid, or is an F-rep and the class
 *   is not proved
 * - `undecided`: a requested length is within the uncertainty, or it is unknown if the two share a
 *   point
 */
export type SolidClass = 'clear' | 'near' | 'touch' | 'overlap' | 'inside' | 'same' | 'contact' | 'undecided';

/** The relation of two assets as solids. */
export interface Solids {
  class: SolidClass;
  /** The asset that is inside the other one; null if none is, or both are. */
  inner: 'a' | 'b' | null;
  /** For a and b: true if it bounds a solid. */
  closed: [boolean, boolean];
  /**
   * Diameter of the largest ball inside both. 0 if they only touch, null if unknown. Absent if
   * `depth` is off.
   */
  thickness?: Bracket | null;
  /** Center (x, y, z) of a ball inside both, as wide as `thickness.lower`; null if none. */
  deepest: number[] | null;
  /**
   * From `check`: how far a extends into b, and b into a. That is the greatest distance of a common
   * point from the other's surface.
   */
  reach?: { a: Bracket; b: Bracket };
  /** For primitives that touch: the proved bracket of their distance. */
  bracket?: Bracket | null;
  /** Why the class is that of surfaces; null if it is that of solids. */
  reason: string | null;
}

/** The whole report, as `check --json` prints it. With `solid`, it has the fields of Solids. */
export interface Report extends Outcome, Partial<Solids> {
  a: { file: string | null; representation: string };
  b: { file: string | null; representation: string };
  path: 'native' | 'common';
  engine: Engine;
  /** With the option `bounds`: the only bounds that were tested. `tests.bounds` counts them. */
  bounds?: 'spheres';
  tolerance: Tolerance;
  /**
   * The least distance of the two surfaces, with an error of at most the width of `bracket`. Null
   * if not requested or not found in time.
   */
  distance: number | null;
  witness: Witness | null;
  /** Proved bracket of the distance; null if not requested. */
  bracket: Bracket | null;
  /** For two F-reps on their own path: the cells found. */
  cells?: CellSearch;
  ms: { load: number; query: number };
}

/**
 * The bounds of two nodes were compared. Nodes have their numbers in the asset's tree, from 0. A
 * primitive without a node of its own has ~primitive.
 */
export interface NodeVisit {
  kind: 'nodes';
  a: number;
  b: number;
  /** Depth of each below its root, which is level 0. */
  levelA: number;
  levelB: number;
  /** True if they are apart. Then nothing below them is tested. */
  isApart: boolean;
}

/** A primitive of a was compared with one of b. Their numbers are those of contacts. */
export interface HullVisit {
  kind: 'hulls';
  a: number;
  b: number;
}

export type Visit = NodeVisit | HullVisit;

/** Receives each test of a search; the result is ignored. */
export type OnVisit = (visit: Visit) => unknown;

/** Reports nodes of two trees by their places there; undefined without an observer. */
export type NodeTeller = ((i: number, j: number, isApart: boolean) => void) | undefined;

export function nodeTeller(treeA: BoundTree, treeB: BoundTree, onVisit: OnVisit | undefined): NodeTeller {
  if (onVisit === undefined) return undefined;
  return (i, j, isApart) => {
    const [levelA, levelB] = [treeA.level[i], treeB.level[j]];
    onVisit({ kind: 'nodes', a: treeA.own[i], b: treeB.own[j], levelA, levelB, isApart });
  };
}

/** Goal of a search for the nearest points of two surfaces. */
export interface Goal {
  /** True to find the distance; false to compare it with `clearance` only. */
  distance: boolean;
  clearance: number;
  /** `performance.now()` when the search must end; Infinity for none. */
  deadline: number;
  /**
   * True to start with the pair that was nearest when the kernel was asked before, as in the next
   * frame of a motion. `upper` and the comparison with the clearance don't depend on it. Everything
   * else may depend on the previous question.
   */
  follows?: boolean;
}

/** Result of a search for the nearest points of two surfaces. */
export interface Nearest {
  /**
   * lower <= distance <= upper; both 0 if the surfaces share a point. Infinity if one of them
   * provably has no point, or none is known.
   */
  lower: number;
  upper: number;
  /** Upper bound of the distance of the nearest hulls found; `upper`, from bounds, may be less. */
  measured: number;
  /**
   * The nearest hulls, or -1 and -1, and their nearest points in the common frame. For a solid: 0,
   * all of it, and a point of its core; in contact, a point of a touched cell.
   */
  a: number;
  b: number;
  onA: Float64Array;
  onB: Float64Array;
  /** True if they provably share no point: exactly, even if `lower` is 0 by rounding. */
  isApart: boolean;
  /** True if the search ended by itself, not by its deadline or level. */
  isComplete: boolean;
  level: number;
  tests: { bounds: number; hulls: number };
}

export const nothingMeasured = (): Nearest => ({
  lower: 0,
  upper: Number.POSITIVE_INFINITY,
  measured: Number.POSITIVE_INFINITY,
  a: -1,
  b: -1,
  onA: new Float64Array(3),
  onB: new Float64Array(3),
  isApart: false,
  isComplete: true,
  level: 0,
  tests: { bounds: 0, hulls: 0 },
});

const HIGH_WORD = LITTLE_ENDIAN ? 1 : 0;

const NO_WORDS = new Uint32Array(0);

export interface Walk {
  /** Deepest level of either hierarchy, pairs of bounds, pairs of leaf primitives. */
  level: number;
  bounds: number;
  hulls: number;
  /** True if something was left open: below the level, or too near to tell. */
  isUndecided?: boolean;
}

/** Contacts as 64-bit keys, a above b: sorting needs no comparator, a single one no arrays. */
export class ContactList {
  private words: Uint32Array = NO_WORDS;
  private firstA = 0;
  private firstB = 0;
  private isCut = false;
  private isSorted = false;
  count = 0;

  constructor(private readonly query: Pick<Query, 'all' | 'maxContacts' | 'onContact'>) {}

  /** Adds a contact, or finds the list full; true if the search goes on. */
  add(a: number, b: number): boolean {
    const { all, maxContacts, onContact } = this.query;
    if (this.count === maxContacts) {
      this.isCut = true;
      return false;
    }
    if (this.count === 0) {
      this.firstA = a;
      this.firstB = b;
    } else {
      if (this.count === 1) this.write(0, this.firstA, this.firstB);
      this.write(this.count, a, b);
    }
    this.count++;
    this.isCut = onContact?.(a, b) === false;
    return all && !this.isCut;
  }

  /** Adds a kernel's contacts, two words each: of b, then of a. Returns as `add`. */
  addAll(found: Uint32Array, count: number): boolean {
    const { all, maxContacts, onContact } = this.query;
    if (onContact || !all) {
      for (let i = 0; i < 2 * count; i += 2) if (!this.add(found[i + 1], found[i])) return false;
      return true;
    }
    const taken = Math.min(count, maxContacts - this.count);
    this.makeRoom(this.count + taken);
    this.words.set(found.subarray(0, 2 * taken), 2 * this.count);
    if (this.count === 0) this.keepFirst(found);
    this.count += taken;
    this.isCut = taken < count;
    return !this.isCut;
  }

  /**
   * Takes the first `count` contacts of so many that a kernel has found, sorted, without a copy:
   * `outcome` must follow before they change.
   */
  take(sorted: Uint32Array, count: number, found: number): void {
    this.words = sorted;
    this.isSorted = true;
    this.count = count;
    this.isCut = found > count;
    this.keepFirst(sorted);
  }

  private keepFirst(found: Uint32Array): void {
    this.firstA = found[1];
    this.firstB = found[0];
  }

  private write(i: number, a: number, b: number): void {
    this.makeRoom(i + 1);
    this.words[2 * i + HIGH_WORD] = a;
    this.words[2 * i + 1 - HIGH_WORD] = b;
  }

  private makeRoom(count: number): void {
    if (2 * count <= this.words.length) return;
    const bigger = new Uint32Array(Math.max(32, 2 * count, 2 * this.words.length));
    bigger.set(this.words);
    this.words = bigger;
  }

  outcome({ level, bounds, hulls, isUndecided = false }: Walk): Outcome {
    const { count } = this;
    return {
      verdict: count > 0 ? 'contact' : isUndecided ? 'undecided' : 'clear',
      contacts: {
        count,
        complete: !this.isCut && !isUndecided && (this.query.all || count === 0),
        pairs: this.sorted(),
      },
      level,
      tests: { bounds, hulls },
    };
  }

  private sorted(): ContactPair[] {
    const { words, count } = this;
    if (count === 0) return [];
    if (count === 1) return [[this.firstA, this.firstB]];
    if (!this.isSorted) new BigUint64Array(words.buffer, 0, count).sort();
    const pairs: ContactPair[] = new Array(count);
    for (let i = 0; i < count; i++) pairs[i] = [words[2 * i + HIGH_WORD], words[2 * i + 1 - HIGH_WORD]];
    return pairs;
  }
}

/** Steps of a search, some 100 ns each, between two looks at the clock. */
const STEPS_A_LOOK = 256;

export const isLate = (deadline: number | undefined, steps: number): boolean =>
  deadline !== undefined && steps % STEPS_A_LOOK === 0 && performance.now() >= deadline;
