/**
 * Named objects in their poses, their boxes, and their contacts.
 *
 * Objects share their assets, and pairs of assets share prepared data. A pair of objects is one
 * number, i * objects + j for i < j.
 */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireThat } from '../base/require.ts';
import { changesSoFar, hasChangedSince } from '../engine/asset-cache.ts';
import { extentOf } from '../engine/bounds.ts';
import { type Extent, middleBoxOf, writeBounds } from '../engine/extent.ts';
import { isOfTriangles } from '../engine/operand.ts';
import { requireClearance } from '../engine/options.ts';
import { createPair, type Pair } from '../engine/prepared.ts';
import type { Verdict } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { requireSameUnits } from '../engine/units.ts';
import { copyPose, isIdentity, isRigid, type Pose, validatePose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { overlap } from './broad-phase.ts';
import type { SurfaceClass } from './classes.ts';
import type { SceneObject, SceneObjectGiven, SceneOptions } from './records.ts';
import type { Asked, Asks } from './rules.ts';

/** @typeParam Own only `Asks` if the scene's findings are not needed */
export class Placed<Own extends Asks = Asked> {
  /** Sorted by name. */
  readonly objects: Required<SceneObject>[];
  readonly asked: Own;
  private readonly byName = new Map<string, number>();
  private readonly numberOf: Uint32Array;
  private readonly counts: number[] = [];
  private readonly extents: Extent[] = [];
  private readonly middleBoxes: Float64Array[] = [];
  /** Sixteen numbers per object: all poses. The `pose` of each object is a part of this array. */
  readonly poses: Float64Array;
  private readonly placedBoxes: Float64Array;
  /** Objects that have moved since their box was written. */
  private readonly areOld: Uint8Array;
  private hasOld = false;
  private readonly areTriangles: boolean[] = [];
  private readonly pairs = new Map<number, Pair>();
  /** If true, poses change, so pairs expect any number of questions. */
  private isMoving = false;
  private changes = changesSoFar();

  /**
   * @param asksOf the questions about the objects, sorted by name; passed in, so that a page only
   *   loads the questions that it needs
   * @param boxes the boxes written by another thread, if any
   */
  constructor(
    objects: readonly SceneObjectGiven[],
    readonly options: SceneOptions,
    asksOf: (objects: readonly Required<SceneObject>[]) => Own,
    boxes?: Float64Array,
  ) {
    requireClearance(options.clearance ?? 0);
    // By name, so that results do not depend on the order given.
    this.objects = objects
      .map(({ name, asset, pose = IDENTITY, assetName = '', sha256 = null, origin = null }, i) => {
        requireThat(typeof name === 'string' && name !== '', `objects[${i}].name`, 'a name', name);
        const own = isOwn(pose) ? pose : validatePose(pose, `pose of ${printable(name)}`);
        return { name, asset, pose: own, assetName, sha256, origin };
      })
      .sort((a, b) => compare(a.name, b.name));
    this.poses = new Float64Array(16 * this.objects.length);
    for (const [i, object] of this.objects.entries()) {
      copyPose(object.pose, 0, this.poses, 16 * i);
      object.pose = this.poses.subarray(16 * i, 16 * i + 16);
    }
    this.numberOf = new Uint32Array(this.objects.length);
    const numbers = new Map<Asset, number>();
    const units = this.objects.map(({ asset }) => representationOf(asset).units(asset));
    for (const [i, { name, asset }] of this.objects.entries()) {
      if (this.byName.has(name)) throw new OptionError(`objects: ${printable(name)} comes twice; names must be unique`);
      this.byName.set(name, i);
      // Boxes of different units would separate touching objects.
      requireSameUnits(units[0], units[i]);
      const number = numbers.get(asset) ?? numbers.size;
      numbers.set(asset, number);
      this.numberOf[i] = number;
      this.counts[number] = (this.counts[number] ?? 0) + 1;
    }
    this.asked = asksOf(this.objects);
    this.areOld = new Uint8Array(this.objects.length);
    this.placedBoxes = boxes ?? new Float64Array(6 * this.objects.length);
    if (!boxes) for (let i = 0; i < this.objects.length; i++) this.place(i);
  }

  numberNamed(name: string): number | undefined {
    return this.byName.get(name);
  }

  namesOf(key: number): [string, string] {
    const count = this.objects.length;
    return [this.objects[Math.floor(key / count)].name, this.objects[key % count].name];
  }

  /** Six numbers an object: the lowest corner, then the highest. */
  get boxes(): Float64Array {
    if (this.hasOld) for (let i = 0; i < this.objects.length; i++) this.follow(i);
    this.hasOld = false;
    return this.placedBoxes;
  }

  /**
   * Moves an object to where its box is in range; the box is written when it is needed.
   *
   * @param to has the pose, sixteen numbers at `at`
   */
  move(i: number, to: Float64Array, at: number): void {
    copyPose(to, at, this.poses, 16 * i);
    this.areOld[i] = 1;
    this.hasOld = true;
  }

  moveAll(to: Float64Array): void {
    this.poses.set(to);
    this.areOld.fill(1);
    this.hasOld = true;
  }

  /** @throws OptionError if its box is out of range; the object then stays */
  moveFar(i: number, to: Float64Array, at: number): void {
    copyPose(this.poses, 16 * i, left, 0);
    this.move(i, to, at);
    try {
      this.place(i);
    } catch (error) {
      this.move(i, left, 0);
      throw error;
    }
  }

  private follow(i: number): void {
    if (this.areOld[i] !== 0) this.place(i);
  }

  haveMeetingBoxes(i: number, j: number): boolean {
    this.follow(i);
    this.follow(j);
    return overlap(this.placedBoxes, i, this.placedBoxes, j);
  }

  copyBox(i: number, out: Float64Array, at: number): void {
    this.follow(i);
    for (let k = 0; k < 6; k++) out[at + k] = this.placedBoxes[6 * i + k];
  }

  /** The middle of a box of an object in its own frame, and half the sizes. */
  middleBox(i: number): Float64Array {
    const number = this.numberOf[i];
    this.middleBoxes[number] ??= middleBoxOf((this.extents[number] ??= extentOf(this.objects[i].asset)));
    return this.middleBoxes[number];
  }

  /** Writes an object's box, widened by half of the widest clearance. */
  place(i: number): void {
    const boxes = this.placedBoxes;
    const { asset, pose } = this.objects[i];
    this.areOld[i] = 0;
    this.writeBox(i, asset, pose);
    for (let k = 6 * i; k < 6 * i + 6; k++) {
      if (Math.abs(boxes[k]) <= Number.MAX_VALUE) continue;
      throw new OptionError(`pose of ${printable(this.objects[i].name)}: moves its object out of range`);
    }
    const { widest } = this.asked;
    if (widest === 0) return;
    const half = (widest / 2) * (1 + 2 ** -40);
    for (let k = 6 * i; k < 6 * i + 3; k++) {
      boxes[k] = below(boxes[k] - half);
      boxes[k + 3] = above(boxes[k + 3] + half);
    }
  }

  private writeBox(i: number, asset: Asset, pose: Pose): void {
    const number = this.numberOf[i];
    // A surface at rest has its own box, and needs no tree for it.
    const isStill = this.extents[number] === undefined && !this.isMoving && isIdentity(pose);
    const own = isStill ? representationOf(asset).own?.box?.(asset) : undefined;
    if (own) this.placedBoxes.set(own, 6 * i);
    else writeBounds((this.extents[number] ??= extentOf(asset)), pose, this.placedBoxes, 6 * i);
  }

  /** Updates boxes after changes of geometry in place; returns the objects. */
  renew(): readonly number[] {
    const known = this.changes;
    this.changes = changesSoFar();
    if (known === this.changes) return NONE;
    const changed: number[] = [];
    for (const [i, { asset }] of this.objects.entries()) {
      if (!hasChangedSince(asset, known)) continue;
      this.extents[this.numberOf[i]] = extentOf(asset);
      delete this.middleBoxes[this.numberOf[i]];
      this.place(i);
      changed.push(i);
    }
    return changed;
  }

  expectMoves(): void {
    this.isMoving = true;
    this.pairs.clear();
  }

  /** The pair of two objects' assets, prepared for as many questions as there are objects. */
  pairOf(i: number, j: number): Pair {
    const p = this.numberOf[i];
    const q = this.numberOf[j];
    const key = p * this.counts.length + q;
    let pair = this.pairs.get(key);
    if (!pair) {
      const questions = this.isMoving ? Number.POSITIVE_INFINITY : this.counts[p] * this.counts[q];
      pair = createPair(this.objects[i].asset, this.objects[j].asset, { questions });
      this.pairs.set(key, pair);
    }
    return pair;
  }

  isOfTriangles(i: number): boolean {
    const number = this.numberOf[i];
    this.areTriangles[number] ??= isOfTriangles(this.objects[i].asset);
    return this.areTriangles[number];
  }

  /** True if a kernel answers the questions of two objects' assets. */
  isFast(i: number, j: number): boolean {
    const questions = this.counts[this.numberOf[i]] * this.counts[this.numberOf[j]];
    return (questions > 1 || this.isMoving) && this.pairOf(i, j).isFast;
  }

  meets(i: number, j: number): Verdict {
    return this.pairOf(i, j).verdict(this.objects[j].pose, this.objects[i].pose);
  }

  within(i: number, j: number, length: number): Verdict {
    return this.pairOf(i, j).clearance(this.objects[j].pose, length, this.objects[i].pose);
  }

  classOf(i: number, j: number, clearance: number, known?: Verdict): SurfaceClass | 'clear' {
    const verdict = known ?? this.meets(i, j);
    if (verdict !== 'clear' || clearance === 0) return verdict;
    const close = this.within(i, j, clearance);
    return close === 'contact' ? 'near' : close;
  }

  /** The strongest class of all asks: contact, then undecided. */
  classOfAll(i: number, j: number): SurfaceClass | 'clear' {
    const asks = this.asked.asks(i, j);
    let worst: SurfaceClass | 'clear' = 'clear';
    for (let n = 0; n < asks.length && worst !== 'contact'; n++) {
      const found = this.classOf(i, j, asks[n].clearance);
      if (found !== 'clear' && worst !== 'undecided') worst = found;
    }
    return worst;
  }
}

const NONE: readonly number[] = [];
const left = new Float64Array(16);

const isOwn = (pose: ArrayLike<number>): pose is Pose => pose instanceof Float64Array && isRigid(pose);

const IDENTITY = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Past the rounding of a sum. */
const below = (x: number): number => x - Math.abs(x) * 2 ** -52;
const above = (x: number): number => x + Math.abs(x) * 2 ** -52;
