/**
 * Classifies the position of two solids exactly: if their insides meet, and if either has a part
 * outside of the other.
 *
 * A closed, consistently oriented surface winds about every point off it a whole number of times;
 * the inside is where that is not 0. Both surfaces cut space into cells. Every cell is inside or
 * outside of a, and of b: its label. The labels that occur decide the class:
 *
 *   inside both      a alone   b alone
 *   no                                   `touch` if the surfaces share a point, else `clear`
 *   yes              no        no        `same`
 *   yes              one of the two      `inside`
 *   yes              yes       yes       `overlap`
 *
 * Every cell but the outermost has a part of a triangle on its border. So it is enough to test both
 * sides of every part:
 *
 * 1. Triangles that the other surface does not cut form patches: connected where they touch
 *   nothing, and over edges along which nothing lies (coincident-triangles.ts). A patch is wholly
 *   inside or wholly outside of the other solid. One triangle of each is tested: of every shell
 *   that touches nothing, and of those beside contacts.
 * 2. A cut triangle falls into faces, by all that it touches of both surfaces (faces.ts), and every
 *   face is tested. Connected triangles in contact in one plane (coincident-triangles.ts) fall into
 *   faces together.
 * 3. Triangles of both surfaces that coincide, and that nothing cuts, are one sheet. These sheets
 *   connect over edges without other triangles (coincident-triangles.ts), and one of them is
 *   tested.
 * 4. A patch inside the other has its own solid on one side only, unless other shells of its own
 *   cover it. If its one triangle was covered, all others are tested.
 *
 * Before that, a plane with the two on its two sides proves that they touch (separating-plane.ts).
 * If nothing touches, one point of every shell may prove that all are outside.
 *
 * Testing a face means computing the winding numbers of both surfaces on both sides of one of its
 * points, by one ray (winding.ts). The point and both numbers are exact; nothing is perturbed. The
 * search ends once all three labels are found, which is soon if solids overlap.
 */

import type { ContactPair } from '../engine/records.ts';
import { traverse } from '../engine/traverse.ts';
import { type ExactPoint, pointAt } from '../geometry/exact-point.ts';
import { identity, isIdentity } from '../math/pose.ts';
import { type FlatOf, flatsOf, type Touch, touchOf, twinPatches } from './coincident-triangles.ts';
import { type Flat, flatOfOne, forFaces } from './faces.ts';
import { arePartedByConvex, arePartedByFace } from './separating-plane.ts';
import { isFull, isKnownEmbedded, lone, type PlacedBody, trianglesAround } from './solid.ts';
import { MOST_RAYS, rayNumber, type Winding, windingAbout, windingAlong } from './winding.ts';

export type Lie = 'clear' | 'touch' | 'overlap' | 'inside' | 'same';

interface Classified {
  lie: Lie;
  inner: 'a' | 'b' | null;
  /** A solid without an inside: its surface folds back onto itself everywhere. */
  hollow: 'a' | 'b' | null;
}

/**
 * @param a, b bodies whose triangles are cycles
 * @param contacts every pair of triangles that share a point, complete
 * @example classify(placeBody(box, identity()), placeBody(box, identity()), pairs).lie // 'same'
 */
export function classify(a: PlacedBody, b: PlacedBody, contacts: readonly ContactPair[]): Classified {
  if (isFull(a) && isFull(b)) {
    if (contacts.length > 0 && arePartedByFace(a, b, contacts)) return { lie: 'touch', inner: null, hollow: null };
    if (contacts.length === 0 && isOutside(a, b) && isOutside(b, a)) return { lie: 'clear', inner: null, hollow: null };
  }
  const search = new Search(a, b, contacts);
  search.run();
  const { both, onlyA, onlyB } = search.labels;
  const hollow = !both && !onlyA ? 'a' : !both && !onlyB ? 'b' : null;
  if (!both) return { lie: contacts.length > 0 ? 'touch' : 'clear', inner: null, hollow };
  if (onlyA && onlyB) return { lie: 'overlap', inner: null, hollow: null };
  if (!onlyA && !onlyB) return { lie: 'same', inner: null, hollow: null };
  return { lie: 'inside', inner: onlyA ? 'b' : 'a', hollow: null };
}

/**
 * True if the insides surely do not meet. The planes of `met`, best pairs in contact, are tried
 * first.
 *
 * @example areParted(placeBody(wall, identity()), placeBody(window, identity()), []) // true
 */
export const areParted = (a: PlacedBody, b: PlacedBody, met: readonly ContactPair[]): boolean =>
  isFull(a) && isFull(b) && (arePartedByFace(a, b, met) || arePartedByFace(a, b) || arePartedByConvex(a, b));

/**
 * Tests a corner of each shell of a surface without contacts. If both surfaces are outside, no cell
 * is inside both: its border would be inside the other solid.
 */
function isOutside({ body, load }: PlacedBody, other: PlacedBody): boolean {
  for (const triangle of body.firstOf)
    if (windingAbout(other, pointAt(load(triangle).points, 0))?.ahead !== 0) return false;
  return true;
}

interface Labels {
  both: boolean;
  onlyA: boolean;
  onlyB: boolean;
}

/** Connected triangles of one side that do not meet the other surface. */
interface Patch {
  side: Side;
  start: number;
  isInside: boolean;
}

class Side {
  /** The other's triangles that each triangle in contact touches. */
  readonly touched = new Map<number, number[]>();
  private readonly touches = new Map<number, Touch>();
  private flats: Map<number, FlatOf> | undefined;
  twins: ReadonlySet<number> = new Set();
  other: Side | undefined;

  constructor(readonly placed: PlacedBody) {}

  note(own: number, other: number): void {
    const known = this.touched.get(own);
    if (known) known.push(other);
    else this.touched.set(own, [other]);
  }

  /** Triangles in contact, and how many of the other's each touches. */
  leastTouched(most: number): [triangle: number, by: number][] {
    const all = Array.from(this.touched, ([triangle, others]): [number, number] => [triangle, others.length]);
    return all.sort((p, q) => p[1] - q[1]).slice(0, most);
  }

  corners(triangle: number, out: Float64Array, at: number): void {
    const { points } = this.placed.load(triangle);
    for (let k = 0; k < 9; k++) out[at + k] = points[k];
  }

  *patches(): Generator<number> {
    const { shells, firstOf } = this.placed.body;
    const touches = new Uint8Array(shells.count);
    for (const triangle of this.touched.keys()) touches[shells.shellOf[triangle]] = 1;
    for (let shell = 0; shell < shells.count; shell++) if (touches[shell] === 0) yield firstOf[shell];
    const seen = new Set<number>();
    for (const triangle of this.touched.keys()) {
      if (!this.isCut(triangle)) yield* this.newPatch(triangle, seen);
      // Not over a side: it is cut or has no area, like those that close T-junctions.
      if (this.isCut(triangle) || this.touchOf(triangle).blocked === 7) {
        for (const neighbour of this.neighbours(triangle))
          if (!this.touched.has(neighbour)) yield* this.newPatch(neighbour, seen);
      }
    }
  }

  /** Yields a triangle of an unseen patch, and marks the patch beside contacts. */
  private *newPatch(start: number, seen: Set<number>): Generator<number> {
    if (seen.has(start)) return;
    yield start;
    seen.add(start);
    const queue = [start];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const neighbour of this.besides(next)) {
        if (seen.has(neighbour) || !(this.touched.has(neighbour) || this.isBesideContact(neighbour))) continue;
        seen.add(neighbour);
        queue.push(neighbour);
      }
    }
  }

  private isBesideContact(triangle: number): boolean {
    for (const neighbour of this.neighbours(triangle)) if (this.touched.has(neighbour)) return true;
    return false;
  }

  isCut(triangle: number): boolean {
    return this.twins.has(triangle) || this.flatOf(triangle) !== undefined || this.isCutAlone(triangle);
  }

  isCutAlone(triangle: number): boolean {
    return this.touchOf(triangle).cutters.length > 0;
  }

  flatOf(triangle: number): FlatOf | undefined {
    this.flats ??= flatsOf(
      this.placed,
      [...this.touched.keys()].filter((own) => !this.twins.has(own)),
    );
    return this.flats.get(triangle);
  }

  touchOf(triangle: number): Touch {
    let touch = this.touches.get(triangle);
    if (!touch) {
      const corners = new Float64Array(9);
      this.corners(triangle, corners, 0);
      touch = touchOf(corners, this.touching(triangle));
      this.touches.set(triangle, touch);
    }
    return touch;
  }

  private touching(triangle: number): Float64Array {
    return this.other!.cornersOf(this.touched.get(triangle) ?? []);
  }

  private cornersOf(triangles: readonly number[]): Float64Array {
    const corners = new Float64Array(9 * triangles.length);
    triangles.forEach((id, n) => {
      this.corners(id, corners, 9 * n);
    });
    return corners;
  }

  cuttersOfFlat(triangles: readonly number[]): Float64Array {
    const own = new Set<number>();
    const others = new Set<number>();
    const corners = new Float64Array(9);
    for (const triangle of triangles) {
      for (const other of this.touched.get(triangle) ?? []) others.add(other);
      this.corners(triangle, corners, 0);
      for (const near of this.ownNear(corners)) own.add(near);
    }
    for (const triangle of triangles) own.delete(triangle);
    return this.cornersOfBoth([...own], [...others]);
  }

  cuttersOf(triangle: number, corners: Float64Array): Float64Array {
    const touched = this.touched.get(triangle);
    const others = touched ? this.touchOf(triangle).cutters.map((n) => touched[n]) : [];
    const near = this.ownNear(corners).filter((id) => id !== triangle);
    const own = touchOf(corners, this.cornersOf(near)).cutters.map((n) => near[n]);
    return this.cornersOfBoth(own, others);
  }

  private cornersOfBoth(own: readonly number[], others: readonly number[]): Float64Array {
    const both = new Float64Array(9 * (own.length + others.length));
    both.set(this.cornersOf(own));
    both.set(this.other!.cornersOf(others), 9 * own.length);
    return both;
  }

  /** Triangles of its own surface that it touches, itself included; none if only neighbors do. */
  private ownNear(corners: Float64Array): number[] {
    const { placed } = this;
    // Unmoved coordinates are as read; a surface that does not meet itself cuts nothing.
    if (isIdentity(placed.pose) && isKnownEmbedded(placed.body)) return [];
    const { contacts } = traverse(lone(corners), placed.operand, { ...all, poseB: placed.pose });
    return contacts.pairs.map(([, id]) => id);
  }

  /**
   * Neighbors of an uncut triangle, over edges unless others lie along them; over corners if
   * nothing touches it.
   */
  private *besides(triangle: number): Generator<number> {
    const isFree = !this.touched.has(triangle);
    const blocked = isFree ? 0 : this.touchOf(triangle).blocked;
    const { corners } = this.placed.body.shells;
    for (let side = 0; side < 3; side++) {
      if ((blocked >> side) & 1) continue;
      const from = corners[3 * triangle + side];
      const to = corners[3 * triangle + ((side + 1) % 3)];
      for (const neighbour of this.around(from)) {
        if (neighbour === triangle) continue;
        const isNext = this.hasCorner(neighbour, to);
        const isOpen = (): boolean => isNext && !this.isCut(neighbour) && !this.isBlocked(neighbour, from, to);
        if (this.touched.has(neighbour) ? isOpen() : isNext || isFree) yield neighbour;
      }
    }
  }

  private isBlocked(triangle: number, from: number, to: number): boolean {
    const { corners } = this.placed.body.shells;
    const { blocked } = this.touchOf(triangle);
    for (let side = 0; side < 3; side++) {
      const [p, q] = [corners[3 * triangle + side], corners[3 * triangle + ((side + 1) % 3)]];
      if ((blocked >> side) & 1 && ((p === from && q === to) || (p === to && q === from))) return true;
    }
    return false;
  }

  private hasCorner(triangle: number, vertex: number): boolean {
    const { corners } = this.placed.body.shells;
    const at = 3 * triangle;
    return corners[at] === vertex || corners[at + 1] === vertex || corners[at + 2] === vertex;
  }

  private around(vertex: number): Uint32Array {
    const { firstAround, around } = trianglesAround(this.placed.body);
    return around.subarray(firstAround[vertex], firstAround[vertex + 1]);
  }

  private *neighbours(triangle: number): Generator<number> {
    const { corners } = this.placed.body.shells;
    for (let c = 3 * triangle; c < 3 * triangle + 3; c++) yield* this.around(corners[c]);
  }

  *patchOf(start: number): Generator<number> {
    const seen = new Set([start]);
    for (const triangle of seen) {
      yield triangle;
      for (const neighbour of this.besides(triangle)) seen.add(neighbour);
    }
  }
}

const UNMOVED = identity();
const all = { poseA: UNMOVED, all: true, maxContacts: Number.POSITIVE_INFINITY, level: null };

const FEW_CUT = 8;

class Search {
  readonly labels: Labels = { both: false, onlyA: false, onlyB: false };
  private readonly sides: readonly [Side, Side];

  constructor(a: PlacedBody, b: PlacedBody, contacts: readonly ContactPair[]) {
    this.sides = [new Side(a), new Side(b)];
    this.sides[0].other = this.sides[1];
    this.sides[1].other = this.sides[0];
    for (const [p, q] of contacts) {
      this.sides[0].note(p, q);
      this.sides[1].note(q, p);
    }
  }

  run(): void {
    // If solids overlap, a few cut triangles decide. Triangles that few others cut take the least
    // time.
    const few = this.sides.flatMap((side) =>
      side.leastTouched(FEW_CUT).map(([triangle, by]) => ({ side, triangle, by })),
    );
    for (const { side, triangle } of few.sort((p, q) => p.by - q.by)) {
      if (this.isDone) return;
      if (side.isCutAlone(triangle)) this.lookAt(side, triangle);
    }
    const [a, b] = this.sides;
    const twins = twinPatches(a, b);
    a.twins = twins.ofA;
    b.twins = twins.ofB;
    for (const start of twins.starts) {
      this.lookAt(a, start);
      if (this.isDone) return;
    }
    const patches: Patch[] = [];
    for (const side of this.sides) {
      for (const start of side.patches()) {
        const patch = this.lookAtPatch(side, start);
        if (patch) patches.push(patch);
        if (this.isDone) return;
      }
    }
    for (const side of this.sides) {
      const seen = new Set<number>();
      for (const triangle of side.touched.keys()) {
        if (seen.has(triangle) || side.twins.has(triangle) || !side.isCut(triangle)) continue;
        const flat = side.flatOf(triangle);
        if (flat) for (const other of flat.triangles) seen.add(other);
        if (flat) this.lookAtFaces(side, flat, side.cuttersOfFlat(flat.triangles));
        else this.lookAt(side, triangle);
        if (this.isDone) return;
      }
    }
    // Rare: if other shells of its own cover or cancel a patch, one triangle is not enough.
    for (const patch of patches) {
      for (const triangle of patch.side.patchOf(patch.start)) {
        if (this.knowsAllOf(patch)) break;
        this.lookAt(patch.side, triangle);
      }
    }
  }

  private get isDone(): boolean {
    return this.labels.both && this.labels.onlyA && this.labels.onlyB;
  }

  private lookAtPatch(side: Side, start: number): Patch | undefined {
    for (const triangle of side.patchOf(start)) {
      const looked = this.lookAt(side, triangle);
      if (looked) return { side, start, isInside: looked.isInside };
    }
    return undefined;
  }

  private knowsAllOf({ side, isInside }: Patch): boolean {
    const { both, onlyA, onlyB } = this.labels;
    const [own, other] = side === this.sides[0] ? [onlyA, onlyB] : [onlyB, onlyA];
    return isInside ? both && other : own;
  }

  /** Labels both sides of all faces of a triangle. Undefined without a face. */
  private lookAt(side: Side, triangle: number): { isInside: boolean } | undefined {
    const corners = new Float64Array(9);
    side.corners(triangle, corners, 0);
    return this.lookAtFaces(side, flatOfOne(corners), side.cuttersOf(triangle, corners));
  }

  private lookAtFaces(side: Side, flat: Flat, cutters: Float64Array): { isInside: boolean } | undefined {
    let looked: { isInside: boolean } | undefined;
    forFaces(flat, cutters, (point) => {
      const isInside = this.label(point, side);
      if (isInside === null) return 'border';
      looked ??= { isInside };
      return this.isDone ? 'enough' : 'on';
    });
    return looked;
  }

  /** Returns true if the other solid holds the side ahead; null on the border of a triangle. */
  private label(point: ExactPoint, side: Side): boolean | null {
    for (let n = 0; n < MOST_RAYS; n++) {
      const ray = rayNumber(n);
      const others = windingAlong(side.other!.placed, point, ray);
      if (others === 'grazes') continue;
      if (!others) return null;
      if (this.needsOwn(side, others)) {
        const own = windingAlong(side.placed, point, ray);
        if (own === 'grazes') continue;
        if (!own) return null;
        this.add(side, own.ahead, others.ahead);
        this.add(side, own.behind, others.behind);
      }
      return others.ahead !== 0;
    }
    throw new Error('every ray met an edge');
  }

  private needsOwn(side: Side, { ahead, behind }: Winding): boolean {
    const { both, onlyA, onlyB } = this.labels;
    const [own, other] = side === this.sides[0] ? [onlyA, onlyB] : [onlyB, onlyA];
    return (!own && (ahead === 0 || behind === 0)) || (!(both && other) && (ahead !== 0 || behind !== 0));
  }

  private add(side: Side, own: number, other: number): void {
    const isA = side === this.sides[0];
    if (own !== 0 && other !== 0) this.labels.both = true;
    else if (own !== 0) this.labels[isA ? 'onlyA' : 'onlyB'] = true;
    else if (other !== 0) this.labels[isA ? 'onlyB' : 'onlyA'] = true;
  }
}
