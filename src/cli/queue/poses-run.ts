/** Answers poses of a pair by a queue: tasks are blocks of poses, answers the lines to print. */
import * as z from 'zod/mini';
import { openSchedule } from '../../pair/threads/schedule.ts';
import { loadKinds } from '../../representations/kinds.ts';
import type { Answers } from '../answers.ts';
import { type OpenOthers, openPosesCrew, type Task, type WorkerData } from '../many-poses.ts';
import { halveBlock } from '../poses.ts';
import { faultSchema } from './jobs.ts';
import type { RunKind } from './run-kind.ts';
import { JOB_MS, type WorkQueue } from './work-queue.ts';

interface PosesData extends WorkerData {
  questions: number;
}

const count = z.int().check(z.gte(0));
const schema = z.object({
  output: z.instanceof(Uint8Array),
  poses: count,
  tally: z.object({ clear: count, contact: count, undecided: count }),
  code: z.int().check(z.gte(0), z.lte(3)),
  fault: z.nullable(faultSchema),
});

export const posesRun: RunKind<PosesData, Task, Answers> = {
  name: 'poses',
  async open(threads, [a, b], { options, style, questions }) {
    await loadKinds('obb', a.representation, b.representation);
    return openPosesCrew(threads, [a, b], { options, style }, questions);
  },
  accept(given) {
    const { output, poses } = schema.parse(given);
    let lines = 0;
    for (const byte of output) {
      if (byte === 10) lines++;
      else if (byte < 32 || byte === 127) throw new Error('expected lines to print, found a control character');
    }
    if (lines < poses) throw new Error(`expected ${poses} lines or more, found ${lines}`);
    return given as Answers;
  },
  halve({ block, questions }) {
    return (halveBlock(block)?.map((half) => ({ block: half, questions, told: null })) ?? null) as [Task, Task] | null;
  },
  join(a, b) {
    // Answers after a fault are not printed.
    if (a.fault) return a;
    const tally = {
      clear: a.tally.clear + b.tally.clear,
      contact: a.tally.contact + b.tally.contact,
      undecided: a.tally.undecided + b.tally.undecided,
    };
    const output = Buffer.concat([a.output, b.output]);
    return { output, poses: a.poses + b.poses, tally, code: Math.max(a.code, b.code), fault: b.fault };
  },
};

/** Answers poses by the workers of a queue; a pose that fails ends the run. */
export const posesOnQueue =
  (queue: WorkQueue): OpenOthers =>
  (asker, { options, style }, questions) =>
    openSchedule<Task, Answers>(1, {
      targetMs: JOB_MS,
      open() {
        const { a, b, loadMs } = asker.whole()!;
        const data = { options: { ...options, loadMs }, style, questions };
        return queue.open(posesRun, [a, b], data, ({ block }, { message }) => ({
          output: new Uint8Array(),
          poses: 0,
          tally: { clear: 0, contact: 0, undecided: 0 },
          code: 0,
          fault: {
            ...{ name: 'InputError', isInput: true, stack: undefined },
            message: `${block.name}: pose ${block.first}: no worker answers: ${message}`,
          },
        }));
      },
    });
