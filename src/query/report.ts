/** What a check is asked and what it answers: the records that scripts and the library share. */
import type { Pose } from '../math/pose.ts';
import type { OnVisit } from './visit.ts';

export type Verdict = 'clear' | 'contact' | 'undecided';

export interface Query {
  /** Where each asset stands in the common frame. */
  poseA: Pose;
  poseB: Pose;
  /** Look for every contact, not only the first. */
  all: boolean;
  /** The most contacts to list; the search ends when one more is found. */
  maxContacts: number;
  /** Descend no deeper than this level of the hierarchies. */
  level: number | null;
  /**
   * Contact is also what is closer than this, or as close: a length in the common frame; 0 where it
   * is left out.
   */
  clearance?: number;
  /**
   * Options that the kind of both assets alone understands, by name: see OwnMembers.options.
   */
  own?: Readonly<Record<string, unknown>> | undefined;
  /** `performance.now()` when the search must end, `undecided` if need be; none where left out. */
  deadline?: number;
  /** How many cells two F-reps' own path visits at most, where that is fewer than it would. */
  mostCells?: number;
  /**
   * Is handed every contact as it is found, before the search goes on; what returns false ends the
   * search.
   */
  onContact?: OnContact | undefined;
  /**
   * Is handed every pair of nodes and every pair of primitives that the search tests, as often as
   * `tests` counts them.
   */
  onVisit?: OnVisit | undefined;
}

/**
 * Takes the numbers of two touching primitives, of a and of b; false ends the search, whatever else
 * is returned does not.
 */
export type OnContact = (a: number, b: number) => unknown;

/** Numbers of touching primitives: of a, of b. */
export type ContactPair = [number, number];

export interface Contacts {
  /** How many are listed. */
  count: number;
  /** Whether every contact was looked for and listed. */
  complete: boolean;
  /** Sorted by the number in a, then in b. */
  pairs: ContactPair[];
  /** Where asked for, of each pair: see ContactPoint. */
  points?: ContactPoint[];
  /**
   * Where asked for and the list is complete: all that the two surfaces have in common, areas
   * first, then curves, then points, the largest first.
   */
  patches?: ContactPatch[];
}

/**
 * A connected part of what two surfaces have in common: faces on faces in one plane, a curve, or a
 * point. In the common frame; lengths in its unit. docs/contacts.md says what belongs together.
 */
export interface ContactPatch {
  kind: 'area' | 'curve' | 'point';
  /** Of an area; else 0. */
  area: number;
  /** Of a curve, or of an area's border; 0 of a point. */
  length: number;
  /** x, y, z: the centre of the area, or of the curve. */
  centre: number[];
  /** Of length 1; pushes a off b there, where both surfaces are oriented outward. */
  normal: number[];
  /** At most four points of the patch, x, y, z each, that span it, in order round the normal. */
  points: number[][];
  /**
   * The curve, or the border of the area: paths of points, x, y, z each; one that is closed ends
   * with its first point. None of a point.
   */
  outline: number[][][];
  /** How many of the listed pairs touch there; every pair counts for one patch alone. */
  pairs: number;
}

/**
 * Where two primitives touch, in the common frame; of such that only come close, their nearest
 * points.
 */
export interface ContactPoint {
  /**
   * The ends of what they share: x, y, z each. Of two that only come close, the nearest point of
   * a's and of b's.
   */
  from: number[];
  to: number[];
  /** Of length 1; moves a away from b, where both surfaces are oriented outward. */
  normal: number[];
  /**
   * A way along the normal that takes this triangle of a off this one of b: how far their images on
   * it overlap. No penetration of the bodies, and far more where triangles are large. Minus the
   * distance of two that only come close.
   */
  triangleDepth: number;
  /** @deprecated the old name of triangleDepth, kept for one version */
  depth: number;
}

/**
 * The two nearest points that were found, x, y, z each in the common frame, and the primitives that
 * they lie on.
 */
export interface Witness {
  a: number[];
  b: number[];
  pair: ContactPair;
}

/**
 * lower <= distance <= upper, proved. Of an F-rep either may be Infinity, which JSON shows as null:
 * nothing was found of it, or there is nothing.
 */
export interface Bracket {
  lower: number;
  upper: number;
}

/** A box along a's own axes, in the common frame. */
export interface Cell {
  /** x, y, z in the common frame. */
  center: number[];
  /** Its edges along a's axes. */
  size: number[];
  /** Whether all of it belongs to both solids; else this point of it does. */
  isInside: boolean;
  point: number[];
}

/** How two solids that functions define were searched for a common point. */
export interface CellSearch {
  /** 2^resolution cells along each axis of a's frame. */
  resolution: number;
  /** Edges of the smallest cells. */
  size: number[];
  /**
   * How many cells could not be decided: the smallest, and larger ones where the search gave up.
   */
  undecided: number;
  /** Whether all of the region was searched: not where it gave up after a million cells (with `all` or slices
   * sixteen million), or the list was cut. */
  complete: boolean;
  /**
   * Cells that hold a point of both: the one that proves the contact, or with `all` every one that
   * was proved.
   */
  contacts: Cell[];
}

/** The answer of a traversal. */
export interface Outcome {
  /** A point of both, in the common frame, where one was found. */
  point?: number[];
  cells?: CellSearch;
  verdict: Verdict;
  contacts: Contacts;
  /** How far apart the two are at most and at least, in the common frame, where the search tells. */
  upper?: number;
  lower?: number;
  /** Deepest level of either hierarchy that was reached. */
  level: number;
  /** Pairs of bounding volumes and pairs of leaf primitives that were tested. */
  tests: { bounds: number; hulls: number };
}

/**
 * Two lengths in model units: how far a point of the source may lie from the stored surface, and a
 * stored point from the source. Null where they were not computed.
 */
export type Tolerance = { missing: number; excess: number } | null;

/**
 * Who answers: `kernel`, the kind's search in WebAssembly; `convex`, the closed forms of
 * primitives; `search`, the kind's own; `tiles`, the search of geometry images that are read in
 * parts; `closest`, the best-first search for distances; `common`, the descent for all pairs. They
 * may differ in the first contact met and in `tests`, never in the verdict or the complete list.
 * docs/engines.md has the table.
 */
export type Engine = 'kernel' | 'convex' | 'search' | 'tiles' | 'closest' | 'common';

/**
 * What two are to each other as closed sets: `same`, `inside` (one is in the other, whose borders may touch),
 * `overlap` (insides meet, neither is in the other), `touch` (they meet, their insides do not), `near` (no
 * farther apart than the clearance), `clear`. `contact`: surfaces that meet, of which one at least bounds no
 * solid, or is defined by a function and its class not proved. `undecided`: the lengths that were asked for
 * are within what is known, or whether the two share a point is not.
 */
export type SolidClass = 'clear' | 'near' | 'touch' | 'overlap' | 'inside' | 'same' | 'contact' | 'undecided';

/** What is known of two as solids. */
export interface Solids {
  class: SolidClass;
  /** Which of the two is inside the other; null where none is, or both are. */
  inner: 'a' | 'b' | null;
  /** Whether each bounds a solid. */
  closed: [boolean, boolean];
  /** The diameter of the largest ball inside both; 0 where they touch, null where it is not known. */
  thickness: Bracket | null;
  /** x, y, z of the middle of a ball inside both, as wide as the lower end; null where there is none. */
  deepest: number[] | null;
  /** Of `check`: the greatest distance of a point of the common part from the other's surface. */
  reach?: { a: Bracket; b: Bracket };
  /** Of primitives that touch: what is proved of how far apart they are. */
  bracket?: Bracket | null;
  /** Why the class is that of surfaces; null where it is that of solids. */
  reason: string | null;
}

/** The whole report, as `check --json` prints it; what is known of solids, where that was asked. */
export interface Report extends Outcome, Partial<Solids> {
  a: { file: string | null; representation: string };
  b: { file: string | null; representation: string };
  path: 'native' | 'common';
  engine: Engine;
  tolerance: Tolerance;
  /**
   * The least distance of the two surfaces, right to the width of `bracket`; null where it was not
   * asked for or not found in time.
   */
  distance: number | null;
  witness: Witness | null;
  /** What is proved of the distance; null where it was not looked for. */
  bracket: Bracket | null;
  /** Of two F-reps on their own path: the cells that were found. */
  cells?: CellSearch;
  ms: { load: number; query: number };
}
