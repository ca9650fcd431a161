/** Answers the pairs of a scene on all processors, for Node, or on other machines. */

import { contacts } from '../contacts/patches.ts';
import { adoptWide, type SharedTrees, wideTreesOf } from '../engine/prepared-kernel.ts';
import type { Asset } from '../engine/representation.ts';
import { type PostedTree, postedTree, treeOfPosted } from '../representations/kdop/make-later.ts';
import { loadKinds } from '../representations/kinds.ts';
import * as solids from '../solid/class-of.ts';
import { type Begin, openPool, type Pool, type WorkKind } from '../work/pool.ts';
import { answerRanges, openSchedule, type Range, type Schedule, threadsFor } from '../work/schedule.ts';
import type { Answered } from './pairs.ts';
import type { Finding, FindingsOptions, SceneObject, SceneOptions } from './records.ts';
import { type AnswerPairs, type PlacedScene, placeAgain } from './scene.ts';

/** Warm-up of a thread in ms, in which it compiles functions, and per object. */
const WARM_MS = 750;
const OBJECT_MS = 0.1;
/** Warm-up of this thread: pairs of small elements take 0.3 ms at first and 0.06 ms later. */
const COLD_MS = 300;

export type Found = Answered<Finding>;

/** A scene in a form that can be sent to threads or other machines. */
export interface SceneData {
  objects: (Omit<Required<SceneObject>, 'asset' | 'pose'> & { asset: number })[];
  /** Sixteen numbers an object. */
  poses: Float64Array;
  pairs: Float64Array;
  boxes: Float64Array;
  options: SceneOptions;
  asks: FindingsOptions;
  isMoving: boolean;
}

interface ThreadData extends SceneData {
  wide: SharedTrees;
  posted: (Asset | PostedTree)[];
}

/** @param onAlone receives the error if threads could not be started, once */
export const answerOnThreads = (onAlone?: (error: Error) => void): AnswerPairs =>
  answerBy((scene, pairs, options) =>
    openSchedule<Range, Found>(threadsFor(options.jobs), {
      answer: (range) => answerRange(scene, pairs, options, range),
      openMs: WARM_MS + OBJECT_MS * scene.objects.length,
      coldMs: COLD_MS,
      async open(threads) {
        const { assets, data } = sceneData(scene, pairs, options);
        return openThreads(threads, scene, assets, data);
      },
      ...(onAlone && { onAlone }),
    }),
  );

export const answerBy = (
  open: (scene: PlacedScene, pairs: Float64Array, options: FindingsOptions) => Schedule<Range, Found>,
): AnswerPairs =>
  function answerAll(scene, pairs, options): AsyncIterable<Found> {
    const assets = scene.objects.map(({ asset }) => asset);
    return answerRanges(open(scene, pairs, options), pairs.length, assets);
  };

const answerRange = (scene: PlacedScene, pairs: Float64Array, asks: FindingsOptions, [first, end]: Range): Found => ({
  findings: scene.answer(pairs.subarray(first, end), asks),
  asked: end - first,
});

export const pairsOfScene: WorkKind<SceneData, Range, Found> = {
  name: 'scene',
  async open(threads, assets, data) {
    await loadKinds('obb', ...assets.map(({ representation }) => representation));
    return openThreads(threads, sceneOf(assets, data), assets, data);
  },
  halve([first, end]) {
    const middle = Math.floor((first + end) / 2);
    return end - first < 2
      ? null
      : [
          [first, middle],
          [middle, end],
        ];
  },
  join: (first, second) => ({ findings: [...first.findings, ...second.findings], asked: first.asked + second.asked }),
};

function openThreads(
  threads: number,
  scene: PlacedScene,
  assets: readonly Asset[],
  data: SceneData,
): Promise<Pool<Range, Found>> {
  // Kernel data placed before sharing is placed for all threads.
  const fast = [...scene.prepare(data.pairs)].flatMap(([{ isFast }, pair]) => (isFast ? [pair] : []));
  const wide = wideTreesOf(fast);
  const isFast = (asset: Asset): boolean => wide.wide.has(asset) || wide.hasty.has(asset);
  const posted = assets.map((asset) => (isFast(asset) ? asset : (postedTree(asset) ?? asset)));
  const own: ThreadData = { ...data, wide, posted };
  return openPool(threads, { module: new URL('./answer-pairs.js', import.meta.url), data: own });
}

export const begin: Begin<ThreadData, Range, Found> = async (_, data) => {
  const assets = data.posted.map((asset) => ('representation' in asset ? asset : treeOfPosted(asset)));
  await loadKinds('obb', ...assets.map(({ representation }) => representation));
  adoptWide(data.wide);
  const scene = sceneOf(assets, data);
  return (range) => answerRange(scene, data.pairs, data.asks, range);
};

export function sceneData(
  scene: PlacedScene,
  pairs: Float64Array,
  options: FindingsOptions,
): { assets: Asset[]; data: SceneData } {
  const numbers = new Map<Asset, number>();
  const numberOf = (asset: Asset): number => {
    const number = numbers.get(asset) ?? numbers.size;
    numbers.set(asset, number);
    return number;
  };
  const { onFinding: _, onProgress: __, signal: ___, ...asks } = options;
  const data: SceneData = {
    objects: scene.objects.map(({ pose: _, asset, ...rest }) => ({ ...rest, asset: numberOf(asset) })),
    poses: Float64Array.from(scene.objects.flatMap(({ pose }) => Array.from(pose))),
    pairs,
    boxes: scene.boxes,
    options: optionsOf(scene),
    asks,
    isMoving: scene.isMoving,
  };
  return { assets: [...numbers.keys()], data };
}

/** The kinds of the assets must be loaded. */
function sceneOf(assets: readonly Asset[], data: SceneData): PlacedScene {
  const objects = data.objects.map(({ asset, ...rest }, i) => ({
    ...rest,
    asset: assets[asset],
    pose: data.poses.slice(16 * i, 16 * i + 16),
  }));
  const scene = placeAgain(objects, data.options, data.boxes, { solids, contacts });
  return data.isMoving ? scene.expectSteps() : scene;
}

/** The options that can be sent: only a model's rules, no callbacks. */
function optionsOf({ options }: PlacedScene): SceneOptions {
  // Threads only get pairs that are checked.
  const { onUnmatched: _, rules, related: __, absentIfc: ___, ...plain } = options;
  const { groups, rules: own, allow } = rules ?? {};
  return { ...plain, rules: { groups, rules: own, allow } };
}
