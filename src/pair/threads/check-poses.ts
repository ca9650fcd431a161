/** Many poses of one pair on all processors, for Node. */
import { availableParallelism } from 'node:os';
import { OptionError } from '../../math/errors.ts';
import type { Asset } from '../../query/representation.ts';
import { answeringPair } from '../mixture.ts';
import { answerRange, prepare, requirePoses } from '../pair.ts';
import { type Crew, openCrew, shareAssets } from './crew.ts';

export interface CheckPosesOptions {
  /** Threads: as many as there are processors unless given; 1 is this one alone. */
  jobs?: number;
}

/** What threads are opened with: memory that all share. */
export interface PosesData {
  poses: Float64Array;
  verdicts: Uint8Array;
}
/** Numbers of poses, from the first to before the last. */
export type Range = [first: number, end: number];

/** Of work that is done here, or given to a thread, at a time. */
const TARGET_MS = 10;
/** What is left must take this long here before threads are started. */
const PAYS_MS = 250;

/**
 * Whether two assets touch, in pose after pose of b in a's frame. Threads are started when it pays;
 * results do not depend on their number.
 *
 * @param poses 16 numbers each, row-major 4x4, rigid; not to be changed before the answers are
 *   there
 * @returns a number each: 0 clear, 1 contact, 2 undecided, which F-reps can be; see VERDICTS
 * @throws OptionError for what is no pose, before anything is checked, and for a number of jobs
 *   that is none
 * @example const verdicts = await checkPoses(bunny, blob, Float64Array.of(...translation(2, 0, 0), ...translation(0.4, 0, 0)));
 *          verdicts // [0, 1]
 */
export async function checkPoses(
  a: Asset,
  b: Asset,
  poses: Float64Array,
  options: CheckPosesOptions = {},
): Promise<Uint8Array> {
  const processors = availableParallelism();
  const { jobs: asked = processors } = options;
  if (!Number.isInteger(asked) || asked < 1) throw new OptionError(`jobs: a whole number from 1, not ${asked}`);
  const jobs = Math.min(asked, 4 * processors);
  const count = requirePoses(poses);
  const checker = prepare(a, b);
  const verdicts = new Uint8Array(new SharedArrayBuffer(count));
  let starting: Promise<Crew<Range, null>> | undefined;
  let crew: Crew<Range, null> | undefined;
  let next = 0;
  let size = 1;
  const cut = (): Range => {
    const first = next;
    next = Math.min(count, next + size);
    return [first, next];
  };
  try {
    // What one thread does until others stand, or all of it.
    while (next < count && !crew) {
      const start = performance.now();
      const [first, end] = cut();
      answerRange(checker, poses, verdicts, first, end);
      const perPose = (performance.now() - start) / (end - first);
      size = Math.max(1, Math.min(8 * size, Math.ceil(TARGET_MS / perPose)));
      if (jobs > 1 && !starting && first > 8 && perPose * (count - next) > PAYS_MS) {
        const shared = shareAssets(...answeringPair(a, b));
        if (!shared) continue;
        const data: PosesData = { poses: inSharedMemory(poses), verdicts };
        starting = openCrew<Range, null>(jobs, new URL('./check-poses-worker.js', import.meta.url), shared, data);
        starting.then(
          (opened) => {
            crew = opened;
          },
          () => {}, // where there can be no threads, this one does it all
        );
      }
      await new Promise((turn) => setImmediate(turn));
    }
    if (crew) {
      const { run } = crew;
      const keepAsking = async (): Promise<void> => {
        while (next < count) await run(cut());
      };
      // Two at each thread: one that it works at and one that waits.
      await Promise.all(Array.from({ length: 2 * jobs }, keepAsking));
    }
  } finally {
    await starting?.then(
      ({ close }) => close(),
      () => {},
    );
  }
  return new Uint8Array(verdicts);
}

function inSharedMemory(numbers: Float64Array): Float64Array {
  if (numbers.buffer instanceof SharedArrayBuffer) return numbers;
  const copy = new Float64Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}
