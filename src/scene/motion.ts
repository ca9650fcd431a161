/**
 * Objects that move from frame to frame: which pairs began to touch, and which ended.
 *
 * Frames remember nothing but which boxes overlap and what touches. Tried: to begin with what told
 * a pair apart, or with the triangles that touched, in the frame before. Of 310 pairs of bunnies a
 * frame whose boxes overlap, those that are clear take 0.42 us, of which the call is 0.25 us, and
 * the seventh part that touches takes 1.9 us: all that could be saved is a fifth of a frame, less
 * what remembering costs.
 */
import { OptionError } from '../math/errors.ts';
import { isSamePose, type Pose, validatePose } from '../math/pose.ts';
import { SweepAndPrune } from './broad-phase.ts';
import type { SurfaceClass } from './classes.ts';
import type { Placed } from './placed.ts';
import type { Frame, FramePoses, Touching } from './report.ts';

/** Pairs of a frame whose boxes meet. */
export interface FramePairs {
  /** Those of which one has moved: who asks finds what they are. */
  asked: number[];
  /** The others are as they were. */
  kept: number[];
}

/** The frames of placed objects. */
export class Motion {
  private readonly sweep: SweepAndPrune;
  /** Pairs that touched after the last step, and after the one before; they take turns. */
  private found = new Map<number, SurfaceClass>();
  private before = new Map<number, SurfaceClass>();
  /** Poses as they were given to a step: no step allocates them. */
  private readonly given: Pose[] = [];
  private readonly labels: string[] = [];
  /** Names as steps give them, and their objects: most often the same names in the same order. */
  private readonly names: string[] = [];
  private readonly numbers: number[] = [];
  /** The objects that a step moves, and how many these are. */
  private readonly moved: Uint32Array;
  private movedCount = 0;
  /** A 1 for each object that has moved in this step. */
  private readonly isMoved: Uint8Array;

  /** @param placed is moved by nobody else */
  constructor(private readonly placed: Placed) {
    placed.expectMoves();
    this.sweep = new SweepAndPrune(placed.boxes);
    this.moved = new Uint32Array(placed.objects.length);
    this.isMoved = new Uint8Array(placed.objects.length).fill(1);
    this.settle(this.pairsNow());
  }

  /** Pairs whose boxes meet, in no particular order. */
  get overlaps(): Iterable<number> {
    return this.sweep.pairs;
  }

  /** Takes note that these were placed again. */
  follow(changed: readonly number[]): void {
    if (changed.length === 0) return;
    for (const i of changed) this.isMoved[i] = 1;
    this.sweep.update();
  }

  /** The next frame asks all pairs whose boxes meet: nothing is known of them. */
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

  /** Moves objects; the frame is then to be settled, after all before it. */
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
   * Says what a frame has changed.
   *
   * @param classes of the pairs that are asked; asked here, where all stand now, unless given
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

  /** What a pair was after the last step, and after the one before. */
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

  /** Validates all poses before one is taken, and notes who has another than before. */
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

  /** Pairs that are among these and not among the others, by their names, sorted. */
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
