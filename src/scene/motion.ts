/**
 * Moves objects from frame to frame and finds pairs that begin or end to touch.
 *
 * Only pairs with a moved object are looked at: boxes first, then those whose boxes meet. The
 * others keep their class. Tried: starting with the last frame's separation or touching triangles.
 * A frame has 310 pairs of bunnies with overlapping boxes; clear ones take 0.42 us, 0.25 us of it
 * the call, and the touching seventh takes 1.9 us. So at most a fifth of a frame could be saved,
 * less the cost of remembering.
 */
import type { forOverlaps } from './broad-phase.ts';
import { Neighbors } from './neighbors.ts';
import type { Placed } from './placed.ts';
import type { Asks } from './rules.ts';
import { type PairClass, Touches } from './touches.ts';

/** The pairs of a frame. Lists end at their counts: a frame reuses those of another. */
export class FramePairs {
  moved: number[] = [];
  movedCount = 0;
  /** Pairs with a moved object whose boxes meet. */
  readonly asked: number[] = [];
  askedCount = 0;
}

export class Motion {
  readonly touches: Touches;
  private readonly neighbors: Neighbors;
  /** Objects that have moved since the last frame. */
  private moved: number[] = [];
  private movedCount = 0;
  private readonly isMoved: Uint8Array;
  private readonly pairs = new FramePairs();
  private readonly classes: PairClass[] = [];

  /**
   * @param placed must not be moved by others
   * @param findOverlaps finds the pairs of all boxes
   */
  constructor(
    private readonly placed: Placed<Asks>,
    findOverlaps: typeof forOverlaps,
  ) {
    const { length } = placed.objects;
    placed.expectMoves();
    this.touches = new Touches(length);
    this.isMoved = new Uint8Array(length);
    this.neighbors = new Neighbors(placed, findOverlaps);
    this.askAnew();
    this.settle();
  }

  renew(): void {
    const changed = this.placed.renew();
    for (let n = 0; n < changed.length; n++) {
      this.mark(changed[n]);
      this.neighbors.leave(changed[n]);
    }
  }

  askAnew(): void {
    for (let i = 0; i < this.placed.objects.length; i++) this.mark(i);
  }

  /**
   * Moves an object before `settle`.
   *
   * @param to has the pose, sixteen numbers at `at`, which must be rigid
   */
  move(i: number, to: Float64Array, at: number): void {
    const { placed, neighbors } = this;
    if (!neighbors.holds(i, to, at)) {
      placed.moveFar(i, to, at);
      neighbors.leave(i);
      this.mark(i);
    } else this.shift(i, to, at);
  }

  /** True for a rigid pose, sixteen numbers at `at`, that has only shifted a little: most have. */
  isNearby(i: number, poses: Float64Array, at: number): boolean {
    return this.neighbors.holdsUnturned(i, poses, at);
  }

  /** Moves an object to a pose that is nearby. */
  shift(i: number, to: Float64Array, at: number): void {
    this.placed.move(i, to, at);
    this.mark(i);
  }

  /** Moves all objects, to poses that are nearby. */
  shiftAll(to: Float64Array): void {
    this.placed.moveAll(to);
    this.askAnew();
  }

  /** Answers the pairs of objects that have moved. */
  settle(): void {
    try {
      this.answer(this.collect(this.pairs));
    } catch (error) {
      this.askAnew();
      throw error;
    }
  }

  /** @param classes of the pairs in `asked`; by default computed here, at the current poses */
  answer(pairs: FramePairs, classes: readonly PairClass[] = this.classesOf(pairs)): void {
    const { touches } = this;
    const { moved, movedCount, asked, askedCount } = pairs;
    touches.begin();
    if (touches.list.length > 0) for (let n = 0; n < movedCount; n++) touches.leave(moved[n]);
    for (let n = 0; n < askedCount; n++) touches.take(asked[n], classes[n]);
    touches.end();
  }

  /** True if the last frame has changed the class of a pair. */
  get hasChanged(): boolean {
    return this.touches.changed.length > 0;
  }

  private mark(i: number): void {
    if (this.isMoved[i] !== 0) return;
    this.isMoved[i] = 1;
    this.moved[this.movedCount++] = i;
  }

  private classesOf({ asked, askedCount }: FramePairs): readonly PairClass[] {
    const { placed, classes } = this;
    const count = placed.objects.length;
    for (let n = 0; n < askedCount; n++) {
      const i = Math.floor(asked[n] / count);
      classes[n] = placed.classOfAll(i, asked[n] - i * count);
    }
    return classes;
  }

  /** Writes the pairs to be asked, and clears the list of moved objects. */
  collect(pairs: FramePairs): FramePairs {
    const { moved, movedCount, isMoved } = this;
    const { counts } = this.neighbors;
    this.neighbors.update();
    pairs.askedCount = 0;
    for (let n = 0; n < movedCount; n++) if (counts[moved[n]] > 0) this.addMeeting(moved[n], pairs);
    for (let n = 0; n < movedCount; n++) isMoved[moved[n]] = 0;
    this.moved = pairs.moved;
    pairs.moved = moved;
    pairs.movedCount = movedCount;
    this.movedCount = 0;
    return pairs;
  }

  private addMeeting(i: number, pairs: FramePairs): void {
    const { placed, isMoved } = this;
    const count = placed.objects.length;
    const near = this.neighbors.lists[i];
    const end = this.neighbors.counts[i];
    for (let n = 0; n < end; n++) {
      const j = near[n];
      if ((j < i && isMoved[j] !== 0) || !placed.haveMeetingBoxes(i, j)) continue;
      pairs.asked[pairs.askedCount++] = i < j ? i * count + j : j * count + i;
    }
  }
}
