/** The pairs of a scene on all processors, for Node. */
import { OptionError } from '../../math/errors.ts';
import { answeringPair } from '../../pair/mixture.ts';
import type { Crew } from '../../pair/threads/crew.ts';
import { threadsFor } from '../../pair/threads/jobs.ts';
import { openSchedule, type Schedule } from '../../pair/threads/schedule.ts';
import { hold } from '../../query/derived.ts';
import type { Asset } from '../../query/representation.ts';
import type { Answered } from '../pairs.ts';
import type { Finding, FindingsOptions } from '../report.ts';
import type { AnswerPairs, PlacedScene } from '../scene.ts';
import { type SceneData, sceneData } from './scene-data.ts';

/** Warm-up of a thread in ms, in which it compiles functions, and per object. */
const WARM_MS = 750;
const OBJECT_MS = 0.1;
/** Warm-up of this thread: pairs of small elements take 0.3 ms at first and 0.06 ms then. */
const COLD_MS = 300;

export type Found = Answered<Finding>;
export type Range = [first: number, end: number];

export interface ThreadData extends SceneData {
  /** Numbers of assets, and of those that replace them in tests. */
  wide: [asset: number, wide: number][];
}

/** @param onAlone receives the error if threads could not be started, once */
export const answerOnThreads = (onAlone?: (error: Error) => void): AnswerPairs =>
  answerBy((scene, pairs, options) => {
    const { jobs } = options;
    if (jobs !== undefined && (!Number.isInteger(jobs) || jobs < 1))
      throw new OptionError(`jobs: a whole number from 1, not ${jobs}`);
    return openSchedule<Range, Found>(threadsFor(jobs), {
      async answer([first, end]) {
        return { findings: await scene.answer(pairs.subarray(first, end), options), asked: end - first };
      },
      openMs: WARM_MS + OBJECT_MS * scene.objects.length,
      coldMs: COLD_MS,
      open: (threads) => openSceneCrew(threads, scene, pairs, sceneData(scene, pairs, options)),
      ...(onAlone && { onAlone }),
    });
  });

export function answerBy(
  open: (scene: PlacedScene, pairs: Float64Array, options: FindingsOptions) => Schedule<Range, Found>,
): AnswerPairs {
  return async function* (scene, pairs, options): AsyncGenerator<Found, void, undefined> {
    const schedule = open(scene, pairs, options);
    let next = 0;
    const letGo = hold(...scene.objects.map(({ asset }) => asset));
    try {
      yield* schedule.run({
        async next(most) {
          const first = next;
          next = Math.min(pairs.length, next + Math.ceil(most));
          return next > first ? [first, next] : null;
        },
        unitsOf: ([first, end]) => end - first,
        hasMore: ([, end]) => end < pairs.length,
        left: () => pairs.length - next,
      });
    } finally {
      await schedule.close();
      letGo();
    }
  };
}

export async function openSceneCrew(
  threads: number,
  scene: PlacedScene,
  pairs: Float64Array,
  described: { assets: readonly Asset[]; data: SceneData },
): Promise<Crew<Range, Found>> {
  // Most scenes need no threads.
  const { openCrew } = await import('../../pair/threads/crew.ts');
  const { shareAssets } = await import('../../pair/threads/shared-assets.ts');
  const assets = [...described.assets];
  const numbers = new Map(assets.map((asset, number) => [asset, number]));
  const numberOf = (asset: Asset): number => {
    if (!numbers.has(asset)) numbers.set(asset, assets.push(asset) - 1);
    return numbers.get(asset) as number;
  };
  // Kernel data placed before sharing is placed for all threads.
  const wide = new Map<number, number>();
  for (const [pair, [a, b]] of scene.prepare(pairs)) {
    if (!pair.isFast) continue;
    const [wideA, wideB] = answeringPair(a, b);
    wide.set(numberOf(a), numberOf(wideA));
    wide.set(numberOf(b), numberOf(wideB));
  }
  const { poses, pairs: all, boxes, ...rest } = described.data;
  const data: ThreadData = {
    ...rest,
    poses: inSharedMemory(poses),
    pairs: inSharedMemory(all),
    boxes: inSharedMemory(boxes),
    wide: [...wide].filter(([asset, other]) => asset !== other),
  };
  return openCrew(threads, new URL('./scene-worker.js', import.meta.url), shareAssets(...assets), data);
}

function inSharedMemory(numbers: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(8 * numbers.length));
  copy.set(numbers);
  return copy;
}
