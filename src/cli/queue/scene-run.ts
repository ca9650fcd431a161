/** Answers pairs of a scene by a queue: tasks are ranges of pairs, answers their findings. */
import * as z from 'zod/mini';
import { openSchedule } from '../../pair/threads/schedule.ts';
import type { Asset } from '../../query/representation.ts';
import { loadKinds } from '../../representations/kinds.ts';
import { FINDING_CLASSES } from '../../scene/classes.ts';
import type { AnswerPairs } from '../../scene/scene.ts';
import { answerBy, type Found, openSceneCrew, type Range } from '../../scene/threads/answer-pairs.ts';
import { type SceneData, sceneData, sceneOf } from '../../scene/threads/scene-data.ts';
import type { RunKind } from './run-kind.ts';
import { JOB_MS, type WorkQueue } from './work-queue.ts';

const party = z.looseObject({
  name: z.string(),
  asset: z.nullable(z.string()),
  sha256: z.nullable(z.string()),
  pose: z.array(z.number()).check(z.length(16)),
});
const vector = z.array(z.number()).check(z.length(3));
/** Infinity is a valid bound. */
const bound = z.custom<number>((value) => typeof value === 'number');
const bracket = z.nullable(z.object({ lower: bound, upper: bound }));

const foundSchema = z.object({
  asked: z.int(),
  findings: z.array(
    z.looseObject({
      type: z.literal('finding'),
      id: z.string(),
      rule: z.nullable(z.string()),
      class: z.enum(FINDING_CLASSES),
      ...{ a: party, b: party, point: z.nullable(vector), box: z.object({ low: vector, high: vector }) },
      asked: z.looseObject({ clearance: z.number(), tolerance: z.number(), touchGap: z.number(), solid: z.string() }),
      tool: z.string(),
      closed: z.optional(z.array(z.boolean()).check(z.length(2))),
      inner: z.optional(z.nullable(z.enum(['a', 'b']))),
      thickness: z.optional(bracket),
      distance: z.optional(z.nullable(z.number())),
      bracket: z.optional(bracket),
      reason: z.optional(z.string()),
      contacts: z.optional(z.looseObject({ count: z.int(), complete: z.boolean(), pairs: z.array(z.array(z.int())) })),
    }),
  ),
});

export const sceneRun: RunKind<SceneData, Range, Found> = {
  name: 'scene',
  async open(threads: number, assets: Asset[], data: SceneData) {
    await loadKinds('obb', ...assets.map(({ representation }) => representation));
    return openSceneCrew(threads, sceneOf(assets, data), data.pairs, { assets, data });
  },
  accept(given, [first, end]) {
    const { asked } = foundSchema.parse(given);
    if (asked !== end - first)
      throw new Error(`expected the findings of ${end - first} pairs, found those of ${asked}`);
    // The original, since the schema's copy has its keys in the schema's order.
    return given as Found;
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

/** Answers pairs by the workers of a queue; a pair that fails is undecided. */
export const answerOnQueue = (queue: WorkQueue): AnswerPairs =>
  answerBy((scene, pairs, options) =>
    openSchedule<Range, Found>(1, {
      targetMs: JOB_MS,
      open() {
        const { assets, data } = sceneData(scene, pairs, options);
        return queue.open(sceneRun, assets, data, ([first, end], { message }) => ({
          findings: scene.undecided(pairs.subarray(first, end), `no worker answers: ${message}`),
          asked: end - first,
        }));
      },
    }),
  );
