/**
 * Moves objects from frame to frame and finds pairs that begin or end to touch.
 *
 * Only overlapping boxes and touching pairs are kept between frames. Tried: starting with the last
 * frame's separation or touching triangles. A frame has 310 pairs of bunnies with overlapping
 * boxes; clear ones take 0.42 us, 0.25 us of it the call, and the touching seventh takes 1.9 us. So
 * at most a fifth of a frame could be saved, less the cost of remembering.
 */
import { OptionError } from '../base/errors.ts';
import { isSamePose, type Pose, validatePose } from '../math/pose.ts';
import { SweepAndPrune } from './broad-phase.ts';
import type { SurfaceClass } from './classes.ts';
import type { Placed } from './placed.ts';
import type { Frame, FramePoses, Touching } from './records.ts';
import type { Asks } from './rules.ts';

export interface FramePairs {
  /** Pairs with a moved object that have not been checked yet. */
  asked: number[];
  kept: number[];
}

export class Motion {
  private readonly sweep: SweepAndPrune;
  private found = new Map<number, SurfaceClass>();
  private before = new Map<number, SurfaceClass>();
  private readonly given: Pose[] = [];
  private readonly labels: string[] = [];
  private readonly names: string[] = [];
  private readonly numbers: number[] = [];
  private readonly moved: Uint32Array;
  private movedCount = 0;
  private readonly isMoved: Uint8Array;

  /** @param placed must not be moved by others */
  constructor(private readonly placed: Placed<Asks>) {
    placed.expectMoves();
    this.sweep = new SweepAndPrune(placed.boxes);
    this.moved = new Uint32Array(placed.objects.length);
    this.isMoved = new Uint8Array(placed.objects.length).fill(1);
    this.settle(this.pairsNow());
  }

  get overlaps(): Iterable<number> {
    return this.sweep.pairs;
  }

  /** Follows changes of geometry in place. */
  renew(): void {
    const changed = this.placed.renew();
    if (changed.length === 0) return;
    for (const i of changed) this.isMoved[i] = 1;
    this.sweep.update();
  }

  askAnew(): void {
    this.isMoved.fill(1);
  }

  step(poses: FramePoses): Frame {
    const pairs = this.advance(poses);
    try {
      return this.settle(pairs);
    } catch (error) {
      this.askAnew();
      throw error;
    }
  }

  /** Moves objects. Frames must be settled in their order. */
  advance(poses: FramePoses): FramePairs {
    const { isMoved, given, moved, placed, sweep } = this;
    this.takePoses(poses);
    for (let n = 0; n < this.movedCount; n++) {
      const i = moved[n];
      isMoved[i] = 1;
      const { pose } = placed.objects[i];
      const to = given[i];
      for (let k = 0; k < 12; k++) pose[k] = to[k];
      placed.place(i);
    }
    sweep.update();
    return this.pairsNow();
  }

  /**
   * Returns the changes of a frame.
   *
   * @param classes of the pairs in `asked`; by default computed here, at the current poses
   */
  settle({ asked, kept }: FramePairs, classes?: readonly (SurfaceClass | 'clear')[]): Frame {
    const { placed, found: before, before: found } = this;
    const count = placed.objects.length;
    found.clear();
    for (let n = 0; n < asked.length; n++) {
      const i = Math.floor(asked[n] / count);
      const known = classes ? classes[n] : placed.classOfAll(i, asked[n] - i * count);
      if (known !== 'clear') found.set(asked[n], known);
    }
    for (let n = 0; n < kept.length; n++) {
      const known = before.get(kept[n]);
      if (known !== undefined) found.set(kept[n], known);
    }
    this.found = found;
    this.before = before;
    return { began: this.only(found, before), ended: this.only(before, found) };
  }

  classNow(key: number): SurfaceClass | 'clear' {
    return this.found.get(key) ?? 'clear';
  }

  classBefore(key: number): SurfaceClass | 'clear' {
    return this.before.get(key) ?? 'clear';
  }

  touching(): Touching[] {
    const keys = [...this.found.keys()].sort((p, q) => p - q);
    return keys.map((key) => {
      const [a, b] = this.placed.namesOf(key);
      return { a, b, class: this.found.get(key)! };
    });
  }

  /** Validates all poses before it takes any. */
  private takePoses(poses: FramePoses): void {
    const { moved, placed } = this;
    this.movedCount = 0;
    const names = Object.keys(poses);
    for (let n = 0; n < names.length; n++) {
      const name = names[n];
      const i = name === this.names[n] ? this.numbers[n] : placed.numberNamed(name);
      if (i === undefined) throw new OptionError(`poses: the scene has no object ${name}`);
      this.names[n] = name;
      this.numbers[n] = i;
      this.given[i] ??= new Float64Array(16);
      this.labels[i] ??= `pose of ${name}`;
      const given = validatePose(poses[name], this.labels[i], this.given[i]);
      if (!isSamePose(given, placed.objects[i].pose)) moved[this.movedCount++] = i;
    }
  }

  private only(those: ReadonlyMap<number, unknown>, others: ReadonlyMap<number, unknown>): [string, string][] {
    if (those.size === 0) return [];
    const left: number[] = [];
    for (const key of those.keys()) if (!others.has(key)) left.push(key);
    return left.sort((p, q) => p - q).map((key) => this.placed.namesOf(key));
  }

  private pairsNow(): FramePairs {
    const { isMoved, placed } = this;
    const count = placed.objects.length;
    const pairs: FramePairs = { asked: [], kept: [] };
    for (const key of this.sweep.pairs) {
      const i = Math.floor(key / count);
      (isMoved[i] + isMoved[key - i * count] > 0 ? pairs.asked : pairs.kept).push(key);
    }
    isMoved.fill(0);
    return pairs;
  }
}
