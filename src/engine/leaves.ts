/**
 * Leaves other than triangles: hulls of any points, and solids that functions define. Kinds that
 * have such leaves hand over what answers about them (other-leaves.ts) when they are registered, so
 * that a page with triangles alone has none of it.
 */

import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import type { Pose } from '../math/pose.ts';
import type { BoundTree } from './bound-tree.ts';
import type { ContactPair, Witness } from './records.ts';

/** A convex leaf: `count` points, x, y, z each. Three are a triangle. */
export interface MovedHull {
  points: Float64Array;
  count: number;
}

/** A solid's answer for a hull: it holds a point of the solid, it holds none, or unknown. */
export type Refined = 'in' | 'out' | 'unsure';

export interface LeafSide {
  /** Loads hull `id`, moved by this side's pose; valid until the next call. */
  load(id: number): MovedHull;
  /** Only for a solid that a function defines, whose hulls may hold nothing. */
  solid?: Solid | undefined;
}

export interface Solid {
  /** Bound of the distance of moved points of hulls and cores from their exact images. */
  rounding: number;
  /**
   * Tests if the solid has a point in a hull of the common frame. 'in': in every hull of points
   * within `within` of these; 'out': in none. Looks at no more than `effort` parts of it.
   */
  ask(hull: MovedHull, within: number, effort: number): Refined;
  /** Loads the core of hull `id`, without points if none is known; valid until the next call. */
  core(id: number): MovedHull;
}

/** One side of a query: its tree, and its hulls as its pose moves them. */
export interface Operand extends LeafSide {
  tree: BoundTree;
  /** Bound of the distance of any vertex or bound from the asset's own origin. */
  reach: number;
  /** If the surface differs from the hulls: its reach beyond hull `id`, in the common frame. */
  margin?: ((id: number) => number) | undefined;
  /** Bound of the distance of a hull's points from the surface. */
  excess?: number | undefined;
}

/** Decides pairs of hulls for one query with one or two solids; see solid-pairs.ts. */
export interface PairsOfSolids {
  readonly asksOnlyA: boolean;
  readonly asksOnlyB: boolean;
  readonly isOnePair: boolean;
  readonly open: number;
  areNewlyInContact(p: number, q: number): boolean;
  bracket(p: number, q: number, out: DistanceBracket, most: number): Refined;
  coresApart(p: number, q: number, other: 'core' | 'hull', out: DistanceBracket): boolean;
}

export interface OtherLeaves {
  hullsMeet(a: MovedHull, b: MovedHull): boolean;
  hullDistance(a: MovedHull, b: MovedHull, out: DistanceBracket): void;
  /** A point that a solid and the other side's primitive share, if one is found. */
  witnessInSolid(a: LeafSide, b: LeafSide, pair: ContactPair): Witness | null;
  /** Lower bound of a cell's distance from an ordinary leaf's hulls; 0 or less if unknown. */
  cellGap(a: Operand, i: number, b: Operand, j: number, poses: Record<'poseA' | 'poseB', Pose>): number;
  solidPairs(a: LeafSide, b: LeafSide, clearance: number, patience?: number): PairsOfSolids;
  solidOf(
    refine: (points: Float64Array, count: number, slack: number, effort: number) => Refined,
    core: (id: number, out: Float64Array) => number,
    pose: Pose,
    reach: number,
  ): Solid;
}

let registered: OtherLeaves | undefined;

export function registerLeaves(leaves: OtherLeaves): void {
  registered = leaves;
}

export function otherLeaves(): OtherLeaves {
  if (!registered) throw new Error('a kind with leaves other than triangles has not registered them');
  return registered;
}
