/**
 * Frames of moving objects with a device, which tests the pairs whose boxes meet.
 *
 * A frame has some hundreds of such pairs, and a device needs thousands. So frames are read ahead
 * until there are as many pairs. Boxes follow the objects here, and the device tests all pairs of
 * these frames at once, while the next ones are read. Frames are returned in their order.
 * docs/engines.md shows how long boxes take, and how much of it a device could save.
 */
import { GpuError } from '../base/errors.ts';
import { hold } from '../engine/asset-cache.ts';
import { isForDevice, placeOnDevice } from '../engine/on-device.ts';
import { type AssetsOnDevice, DEVICE_CONTACT, DEVICE_LEFT, DEVICE_WORDS } from '../engine/pose-device.ts';
import type { Asset } from '../engine/representation.ts';
import type { FramePairs } from './motion.ts';
import type { Placed } from './placed.ts';
import type { Frame, FramePoses, StepsOptions } from './records.ts';
import type { Steps } from './steps.ts';
import type { PairClass } from './touches.ts';

const MOST_AHEAD = 1024;
const MOST_PAIRS = 2 ** 19;
const POSE_NUMBERS = 16;

interface Candidates {
  assets: Asset[];
  /** -1 for others. */
  numbers: Int32Array;
  objects: number;
}

/** Null with a clearance, or if fewer than two objects are suitable for a device. */
export function candidatesOf({ objects, asked }: Placed): Candidates | null {
  const known = new Map<Asset, number>();
  const kind = objects.find(({ asset }) => isForDevice(asset))?.asset.representation;
  const numbers = Int32Array.from(objects, ({ asset }) => {
    if (asset.representation !== kind || !isForDevice(asset)) return -1;
    if (!known.has(asset)) known.set(asset, known.size);
    return known.get(asset) as number;
  });
  const count = numbers.reduce((sum, number) => sum + Number(number >= 0), 0);
  return count < 2 || asked.widest > 0 ? null : { assets: [...known.keys()], numbers, objects: count };
}

class Batch {
  readonly frames: { pairs: FramePairs; classes: PairClass[] }[] = [];
  readonly places: [frame: number, n: number][] = [];
  readonly assets: number[] = [];
  pairs = 0;
  private posesA = new Float64Array(POSE_NUMBERS * 64);
  private posesB = new Float64Array(POSE_NUMBERS * 64);

  /** Adds the current frame; pairs unfit for the device are answered at once. */
  add(pairs: FramePairs, placed: Placed, numbers: Int32Array | null): void {
    const { objects, asked } = placed;
    const classes: PairClass[] = [];
    for (const [n, key] of pairs.asked.entries()) {
      const [i, j] = [Math.floor(key / objects.length), key % objects.length];
      if (!numbers || numbers[i] < 0 || numbers[j] < 0) classes[n] = placed.classOfAll(i, j);
      else if (asked.asks(i, j).length === 0) classes[n] = 'clear';
      else {
        this.reserve();
        this.posesA.set(objects[i].pose, POSE_NUMBERS * this.places.length);
        this.posesB.set(objects[j].pose, POSE_NUMBERS * this.places.length);
        this.places.push([this.frames.length, n]);
        this.assets.push(numbers[i], numbers[j]);
      }
    }
    this.frames.push({ pairs, classes });
    this.pairs += pairs.asked.length + pairs.moved.length;
  }

  private reserve(): void {
    const needed = POSE_NUMBERS * (this.places.length + 1);
    if (needed <= this.posesA.length) return;
    for (const side of ['posesA', 'posesB'] as const) {
      const longer = new Float64Array(2 * this[side].length);
      longer.set(this[side]);
      this[side] = longer;
    }
  }

  async ask(onDevice: AssetsOnDevice): Promise<Uint32Array> {
    const words = new Uint32Array(DEVICE_WORDS * this.places.length);
    for (let first = 0; first < this.places.length; first += onDevice.most) {
      const end = Math.min(this.places.length, first + onDevice.most);
      const answers = await onDevice.answer({
        assets: Uint32Array.from(this.assets.slice(2 * first, 2 * end)),
        posesA: this.posesA.subarray(POSE_NUMBERS * first, POSE_NUMBERS * end),
        posesB: this.posesB.subarray(POSE_NUMBERS * first, POSE_NUMBERS * end),
      });
      words.set(answers, DEVICE_WORDS * first);
    }
    return words;
  }

  take(words: Uint32Array | null, placed: Placed): void {
    for (const [question, [frame, n]] of this.places.entries()) {
      const { pairs, classes } = this.frames[frame];
      const told = words ? words[DEVICE_WORDS * question] : DEVICE_LEFT;
      if (told === DEVICE_LEFT) {
        const key = pairs.asked[n];
        const pair = placed.pairOf(Math.floor(key / placed.objects.length), key % placed.objects.length);
        const at = POSE_NUMBERS * question;
        const [poseA, poseB] = [this.posesA, this.posesB].map((poses) => poses.subarray(at, at + POSE_NUMBERS));
        classes[n] = pair.verdict(poseB, poseA);
      } else classes[n] = told === DEVICE_CONTACT ? 'contact' : 'clear';
    }
  }
}

type Source = AsyncIterator<FramePoses> | Iterator<FramePoses>;

class FramesAhead {
  private onDevice: AssetsOnDevice | null = null;
  private hasFailed = false;
  isEnd = false;

  constructor(
    private readonly steps: Steps,
    private readonly placed: Placed,
    private readonly candidates: Candidates,
    private readonly options: StepsOptions,
  ) {
    try {
      this.onDevice = options.device ? placeOnDevice(candidates.assets, options.device) : null;
    } catch (error) {
      this.fail(error);
    }
  }

  /** Adds frames until the device has enough work, or one without a device. */
  async fill(batch: Batch, source: Source): Promise<void> {
    const { steps, placed, onDevice } = this;
    const [most, ahead] = onDevice ? [onDevice.most, MOST_AHEAD] : [1, 1];
    while (batch.places.length < most && batch.frames.length < ahead && batch.pairs < MOST_PAIRS) {
      const next = await source.next();
      this.isEnd = next.done === true;
      if (next.done) return;
      batch.add(steps.advance(next.value), placed, onDevice && this.candidates.numbers);
    }
  }

  async ask(batch: Batch): Promise<void> {
    const { onDevice, placed } = this;
    const isAsked = onDevice && batch.places.length > 0;
    batch.take(isAsked ? await batch.ask(onDevice).catch((error) => this.fail(error)) : null, placed);
  }

  *settle({ frames }: Batch): Generator<Frame> {
    for (const { pairs, classes } of frames) yield this.steps.answer(pairs, classes);
  }

  close(): void {
    this.onDevice?.close();
    this.onDevice = null;
  }

  /** Throws without `onAlone`, and errors that are not the device's. */
  private fail(error: unknown): null {
    const { onAlone } = this.options;
    if (!onAlone || !(error instanceof GpuError)) throw error;
    this.close();
    if (!this.hasFailed) onAlone(error);
    this.hasFailed = true;
    return null;
  }
}

export async function* stepOnDevice(
  steps: Steps,
  placed: Placed,
  candidates: Candidates,
  frames: AsyncIterable<FramePoses> | Iterable<FramePoses>,
  options: StepsOptions,
): AsyncGenerator<Frame, void> {
  const source = Symbol.asyncIterator in frames ? frames[Symbol.asyncIterator]() : frames[Symbol.iterator]();
  const ahead = new FramesAhead(steps, placed, candidates, options);
  const letGo = hold(...candidates.assets);
  let isTold = false;
  try {
    let [running, asked] = [new Batch(), Promise.resolve()];
    const wrong: unknown[] = [];
    while (!ahead.isEnd && wrong.length === 0) {
      const batch = new Batch();
      // Frames before an invalid one come first.
      await ahead.fill(batch, source).catch((error) => wrong.push(error));
      const next = ahead.ask(batch);
      // The batch may fail before the reader of the frames awaits it.
      next.catch(() => {});
      await asked;
      yield* ahead.settle(running);
      [running, asked] = [batch, next];
    }
    await asked;
    yield* ahead.settle(running);
    isTold = wrong.length === 0;
    if (wrong.length > 0) throw wrong[0];
  } finally {
    // A reader that stops early leaves frames that were taken but not returned.
    if (!isTold) steps.askAnew();
    await source.return?.();
    ahead.close();
    letGo();
  }
}
