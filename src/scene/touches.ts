/** The pairs of moving objects that touch or are too close, and those that a frame has changed. */
import type { SurfaceClass } from './classes.ts';

export type PairClass = SurfaceClass | 'clear';

export interface Touch {
  /** i * objects + j for i < j. */
  readonly key: number;
  readonly i: number;
  readonly j: number;
  /** `clear` for a touch that has ended. */
  class: PairClass;
  /** The class before the last change. */
  before: PairClass;
  /** The last frame that asked about the pair. */
  frame: number;
  /** Its place in the list. */
  at: number;
}

export class Touches {
  /** Pairs that are not clear, in no order. */
  readonly list: Touch[] = [];
  /** Pairs that have another class than before the last frame. */
  changed: Touch[] = [];
  private readonly byKey = new Map<number, Touch>();
  /** The number of touches of each object. */
  private readonly degrees: Uint32Array;
  private readonly movedIn: Uint32Array;
  private frame = 0;
  private hasTouched = false;

  constructor(private readonly count: number) {
    this.degrees = new Uint32Array(count);
    this.movedIn = new Uint32Array(count);
  }

  classOf(key: number): PairClass {
    return this.byKey.get(key)?.class ?? 'clear';
  }

  classBefore(key: number): PairClass {
    return this.changed.find((touch) => touch.key === key)?.before ?? this.classOf(key);
  }

  /** Begins a frame; `leave`, `take` and `end` follow. */
  begin(): void {
    this.frame++;
    this.hasTouched = false;
    if (this.changed.length > 0) this.changed = [];
  }

  /** An object has moved, so its touches end unless they are taken. */
  leave(i: number): void {
    this.movedIn[i] = this.frame;
    if (this.degrees[i] > 0) this.hasTouched = true;
  }

  take(key: number, found: PairClass): void {
    const touch = this.byKey.get(key);
    if (touch !== undefined) {
      touch.frame = this.frame;
      if (touch.class !== found) this.change(touch, found);
    } else if (found !== 'clear') this.add(key, found);
  }

  end(): void {
    if (!this.hasTouched) return;
    const { list, movedIn, frame } = this;
    // Backwards, as the last one fills the place of one that ends.
    for (let n = list.length - 1; n >= 0; n--) {
      const touch = list[n];
      if (touch.frame === frame) continue;
      if (movedIn[touch.i] === frame || movedIn[touch.j] === frame) this.change(touch, 'clear');
    }
  }

  private add(key: number, found: SurfaceClass): void {
    const { list, count, degrees, frame } = this;
    const i = Math.floor(key / count);
    const touch: Touch = { key, i, j: key - i * count, class: found, before: 'clear', frame, at: list.length };
    degrees[i]++;
    degrees[touch.j]++;
    list.push(touch);
    this.byKey.set(key, touch);
    this.changed.push(touch);
  }

  private change(touch: Touch, found: PairClass): void {
    touch.before = touch.class;
    touch.class = found;
    this.changed.push(touch);
    if (found !== 'clear') return;
    const { list, degrees } = this;
    const last = list.pop()!;
    if (last !== touch) {
      list[touch.at] = last;
      last.at = touch.at;
    }
    degrees[touch.i]--;
    degrees[touch.j]--;
    this.byKey.delete(touch.key);
  }
}
