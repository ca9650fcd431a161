/**
 * Pairs of hulls for which one side, or both, is a solid that a function defines (narrow-phase.ts).
 * The solid's hulls may hold nothing, so the solid itself is asked.
 */

import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { identity, isIdentity, minNormBound, moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import type { LeafSide, MovedHull, Operand, PairsOfSolids, Refined, Solid } from './leaves.ts';
import { HULL_NUMBERS, hullDistanceTo, hullLoader } from './narrow-phase.ts';
import { relativePose } from './pair-kernel.ts';
import type { ContactPair, Witness } from './records.ts';

const own = new Float64Array(HULL_NUMBERS);
const NO_CORE: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 0 };

/** @param refine, core the representation's functions for its asset: see representation.ts */
export function solidOf(
  refine: (points: Float64Array, count: number, slack: number, effort: number) => Refined,
  core: ((id: number, out: Float64Array) => number) | undefined,
  pose: Pose,
  reach: number,
): Solid {
  const rounding = moveErrorBound(pose, reach);
  const loadCore = core ? hullLoader(core, pose) : () => NO_CORE;
  if (isIdentity(pose))
    return {
      rounding,
      ask: (hull, within, effort) => refine(hull.points, hull.count, within, effort),
      core: loadCore,
    };
  const turned = pose.map((x, i) => (i % 4 === 3 && i < 12 ? 0 : x));
  const { map } = relativePose(turned, identity(), 0, 0);
  const shortest = minNormBound(pose);
  const ask = ({ points, count }: MovedHull, within: number, effort: number): Refined => {
    let farthest = 0;
    for (let k = 0; k < 3 * count; k += 3) {
      const x = points[k] - pose[3];
      const y = points[k + 1] - pose[7];
      const z = points[k + 2] - pose[11];
      farthest = Math.max(farthest, Math.abs(x) + Math.abs(y) + Math.abs(z));
      movePoint(map, x, y, z, own, k);
    }
    return refine(own, count, (within / shortest + 2 ** -46 * farthest) * (1 + 2 ** -40) + 2 ** -1000, effort);
  };
  return { rounding, ask, core: loadCore };
}

const MOST_BYTES = 2 ** 22;

/** A byte for each number from 0; cells' numbers have gaps, up to 2^31. */
class Notes {
  private bytes = new Uint8Array(256);
  private readonly others = new Map<number, number>();

  get(id: number): number {
    if (id >= MOST_BYTES) return this.others.get(id) ?? 0;
    return id < this.bytes.length ? this.bytes[id] : 0;
  }

  set(id: number, byte: number): void {
    if (id >= MOST_BYTES) {
      this.others.set(id, byte);
      return;
    }
    if (id >= this.bytes.length) {
      const bigger = new Uint8Array(Math.max(id + 1, 2 * this.bytes.length));
      bigger.set(this.bytes);
      this.bytes = bigger;
    }
    this.bytes[id] = byte;
  }
}

// Notes on a hull: the other solid's answer, and if it is farther than the clearance.
const IN = 1;
const OUT = 2;
const UNSURE = 3;
const ANSWER = 3;
const FAR = 4;
const NEAR = 8;
// Notes on a pair of primitives: listed; hulls found that may touch.
const LISTED = 1;
const OPEN = 2;

const cells: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const cores: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

/** Parts of a hull that a solid looks at, and after PATIENCE hulls in vain. */
const EFFORT = 2 ** 15;
const HURRIED = 2 ** 8;
const PATIENCE = 32;

/** Decides pairs of hulls for one query with one or two solids. A solid has one primitive, 0. */
export class SolidPairs implements PairsOfSolids {
  /** True if one side's hulls decide alone, as the other solid answers for all of itself. */
  readonly asksOnlyA: boolean;
  readonly asksOnlyB: boolean;
  /** True for solid against solid: one pair of primitives. */
  readonly isOnePair: boolean;
  /** Pairs of primitives so far that may be in contact, unproved. */
  open = 0;
  private readonly ofA = new Notes();
  private readonly ofB = new Notes();
  private readonly ofPairs = new Notes();
  private readonly rounding: number;
  /** A little more than the clearance, and a little less than that. */
  private readonly beyond: number;
  private readonly almostBeyond: number;

  private inVain = 0;

  /**
   * @param clearance distances up to this are contact
   * @param patience the number of undecided hulls to examine closely: if a face lies on a solid's,
   *   thousands stay undecided
   */
  constructor(
    private readonly a: LeafSide,
    private readonly b: LeafSide,
    private readonly clearance: number,
    private readonly patience = PATIENCE,
  ) {
    this.isOnePair = a.solid !== undefined && b.solid !== undefined;
    this.asksOnlyA = clearance === 0 && a.solid !== undefined && !this.isOnePair;
    this.asksOnlyB = clearance === 0 && b.solid !== undefined && !this.isOnePair;
    this.rounding = (a.solid?.rounding ?? 0) + (b.solid?.rounding ?? 0);
    this.beyond = clearance * (1 + 2 ** -40);
    this.almostBeyond = clearance * (1 + 2 ** -41);
  }

  /** True if hulls p and q prove the contact of a pair of primitives for the first time. */
  areNewlyInContact(p: number, q: number): boolean {
    const pair = this.isOnePair ? 0 : this.a.solid ? q : p;
    const known = this.ofPairs.get(pair);
    if (known & LISTED) return false;
    const answer = this.clearance === 0 ? this.answer(p, q) : this.answerWithin(p, q);
    if (answer === OUT) return false;
    if (answer === UNSURE) {
      if (known & OPEN) return false;
      // Bounds that meet may hold cells that are apart. An ordinary hull was tested against the
      // whole solid, without a cell.
      if (this.clearance === 0 && this.isOnePair && this.lowerBound(p, q, 0) > 0) return false;
      this.open++;
      this.ofPairs.set(pair, OPEN);
      return false;
    }
    if (known & OPEN) this.open--;
    this.ofPairs.set(pair, LISTED);
    return true;
  }

  /**
   * Brackets the distance of two primitives by hulls p and q: no nearer than `lower` in these
   * hulls, no farther than `upper` anywhere. Exactly 0 to 0 if they are in contact; onA and onB are
   * then approximate.
   *
   * @param most pairs farther apart are not examined: `upper` is Infinity
   * @returns 'in' if contact is proved, 'out' if they provably share no point in these hulls
   */
  bracket(p: number, q: number, out: DistanceBracket, most: number): Refined {
    const { clearance } = this;
    out.lower = this.lowerBound(p, q, most);
    out.upper = Number.POSITIVE_INFINITY;
    let answer: Refined = 'out';
    if (out.lower === 0) {
      const said = this.answer(p, q);
      if (said === IN) {
        out.upper = 0;
        out.onA.set(cells.onA);
        out.onB.set(cells.onB);
        return 'in';
      }
      if (said === UNSURE) answer = 'unsure';
    }
    if (out.lower <= most && this.coresApart(p, q, 'core', cores)) {
      out.upper = Math.max(out.lower, cores.upper);
      out.onA.set(cores.onA);
      out.onB.set(cores.onB);
    }
    // Cells smaller than the clearance give closer bounds than a function of all space within it.
    const isOpen = answer === 'out' && clearance > 0 && out.lower <= clearance && out.upper > clearance;
    if (isOpen && this.cellSize(p, q) >= clearance && this.areBeyond(p, q)) {
      out.lower = this.almostBeyond;
      out.upper = Math.max(out.lower, out.upper);
    }
    return answer;
  }

  /**
   * Computes `upper` by the cores of p and q, or ordinary hulls; false without a core. With
   * `hull` it measures from b's hull, which may hold nothing.
   */
  coresApart(p: number, q: number, partOfB: 'core' | 'hull', out: DistanceBracket): boolean {
    const { a, b, rounding } = this;
    const fromA = a.solid ? a.solid.core(p) : a.load(p);
    if (fromA.count === 0) return false;
    const fromB = b.solid && partOfB === 'core' ? b.solid.core(q) : b.load(q);
    if (fromB.count === 0) return false;
    hullDistanceTo(fromA, fromB, out, Number.POSITIVE_INFINITY);
    if (rounding > 0) out.upper = (out.upper + rounding) * (1 + 2 ** -50);
    return true;
  }

  private cellSize(p: number, q: number): number {
    const { a, b } = this;
    return Math.max(a.solid ? diagonal(a.load(p)) : 0, b.solid ? diagonal(b.load(q)) : 0);
  }

  /** A lower bound of the hulls' distance; leaves the moved hulls' bracket in `cells`. */
  private lowerBound(p: number, q: number, most: number): number {
    const { a, b, rounding } = this;
    hullDistanceTo(a.load(p), b.load(q), cells, most);
    return Math.max(0, rounding > 0 ? (cells.lower - rounding) * (1 - 2 ** -50) : cells.lower);
  }

  /** IN: the primitives touch, anywhere; OUT: not in these hulls. */
  private answer(p: number, q: number): number {
    const { a, b } = this;
    let answer = UNSURE;
    if (a.solid) answer = this.answerOf(a.solid, b, q, this.ofB);
    if (b.solid && answer === UNSURE) answer = this.answerOf(b.solid, a, p, this.ofA);
    return answer;
  }

  /**
   * Tests a side's hull `id` against a solid: IN and OUT are proofs. For another solid's hull, IN
   * means that it meets the part in it.
   */
  private answerOf(solid: Solid, side: LeafSide, id: number, notes: Notes): number {
    const known = notes.get(id);
    if (known & ANSWER) return known & ANSWER;
    const other = side.solid;
    let said = solid.ask(side.load(id), other ? other.rounding : 0, this.effort());
    if (other && said !== 'out') {
      const core = other.core(id);
      said = core.count > 0 && solid.ask(core, other.rounding, this.effort()) === 'in' ? 'in' : 'unsure';
    }
    const answer = said === 'in' ? IN : said === 'out' ? OUT : UNSURE;
    if (answer === UNSURE) this.inVain++;
    notes.set(id, known | answer);
    return answer;
  }

  private effort(): number {
    return this.inVain < this.patience ? EFFORT : HURRIED;
  }

  private isFarFrom(solid: Solid, side: LeafSide, id: number, distance: number, notes: Notes): boolean {
    const known = notes.get(id);
    if (known & (FAR | NEAR)) return (known & FAR) !== 0;
    const isFar = solid.ask(side.load(id), distance + (side.solid?.rounding ?? 0), this.effort()) === 'out';
    notes.set(id, known | (isFar ? FAR : NEAR));
    return isFar;
  }

  private answerWithin(p: number, q: number): number {
    this.bracket(p, q, within, this.clearance);
    if (within.upper <= this.clearance) return IN;
    return within.lower > this.clearance ? OUT : UNSURE;
  }

  /** True if a hull is provably farther than the clearance from the other side's solid. */
  private areBeyond(p: number, q: number): boolean {
    const { a, b } = this;
    return (
      (a.solid !== undefined && this.isFarFrom(a.solid, b, q, this.beyond, this.ofB)) ||
      (b.solid !== undefined && this.isFarFrom(b.solid, a, p, this.beyond, this.ofA))
    );
  }
}

/** Halvings of a hull: its part is then smaller than the six digits that are printed. */
const HALVINGS = 20;
const part: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 0 };

/**
 * Finds a point of a solid in the other side's hull: halves the hull 20 times, always to a part
 * that is proved to hold one. Null for two solids, and if no part of a half is proved to.
 */
export function witnessInSolid(a: LeafSide, b: LeafSide, pair: ContactPair): Witness | null {
  const [solid, hull] = a.solid ? [a.solid, b.load(pair[1])] : [b.solid!, a.load(pair[0])];
  if (a.solid && b.solid) return null;
  const kept = hull.points.slice(0, 3 * hull.count);
  for (let step = 0; step < HALVINGS; step++) if (!halve(kept, solid)) return null;
  const at = [0, 1, 2].map((k) => mean(kept, k));
  return { a: at, b: at, pair };
}

/** The middle part first, then one at each corner; a box has no part that these don't cover. */
function halve(hull: Float64Array, solid: Solid): boolean {
  const corners = hull.length / 3;
  part.count = corners;
  for (let corner = corners === 3 ? -1 : 0; corner < corners; corner++) {
    for (let k = 0; k < hull.length; k++) {
      const other = corner < 0 ? (k + 3) % hull.length : 3 * corner + (k % 3);
      part.points[k] = hull[k] / 2 + hull[other] / 2;
    }
    if (solid.ask(part, 0, HURRIED) !== 'in') continue;
    for (let k = 0; k < hull.length; k++) hull[k] = part.points[k];
    return true;
  }
  return false;
}

function mean(points: Float64Array, axis: number): number {
  let sum = 0;
  for (let k = axis; k < points.length; k += 3) sum += points[k] / (points.length / 3);
  return sum;
}

const within: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

function diagonal({ points, count }: MovedHull): number {
  const last = 3 * (count - 1);
  const [x, y, z] = [points[last] - points[0], points[last + 1] - points[1], points[last + 2] - points[2]];
  return Math.sqrt(x * x + y * y + z * z);
}

const ofCell: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const cell: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 8 };

function cornersOf(box: Float64Array, at: number, pose: Pose, out: MovedHull): void {
  for (let corner = 0; corner < 8; corner++) {
    let x = box[at];
    let y = box[at + 1];
    let z = box[at + 2];
    for (let axis = 0; axis < 3; axis++) {
      const k = at + 4 + 4 * axis;
      const reach = (corner >> axis) & 1 ? box[k + 3] : -box[k + 3];
      x += reach * box[k];
      y += reach * box[k + 1];
      z += reach * box[k + 2];
    }
    movePoint(pose, x, y, z, out.points, 3 * corner);
  }
}

/** Lower bound of a cell's distance from an ordinary leaf's hulls; 0 or less if unknown. */
export function cellGap(
  a: Operand,
  i: number,
  b: Operand,
  j: number,
  { poseA, poseB }: Record<'poseA' | 'poseB', Pose>,
): number {
  const [side, node, pose] = a.solid ? [a, i, poseA] : [b, j, poseB];
  const [other, leaf] = a.solid ? [b, j] : [a, i];
  if (!other.tree.isLeaf(leaf)) return 0;
  const at = BOX_NUMBERS * node;
  cornersOf(side.tree.bounds, at, pose, cell);
  // The cell's own radius, the corners' distance from the images of the box's, and rounding.
  const spare = 1.0001 * side.tree.bounds[at + 3] + (side.solid?.rounding ?? 0) + 2 ** -46 * side.reach;
  let least = Number.POSITIVE_INFINITY;
  const first = ~other.tree.link[leaf];
  for (let p = first; p < first + other.tree.count[leaf]; p++) {
    hullDistanceTo(cell, other.load(p), ofCell, Number.POSITIVE_INFINITY);
    least = Math.min(least, (ofCell.lower - spare) * (1 - 2 ** -40));
  }
  return least;
}
