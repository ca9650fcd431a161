/**
 * `check --poses`: answers in the order of the poses, on as many threads as are worth it.
 *
 * A file is read twice, in blocks: first to find bad poses before the first answer, then to answer.
 * That needs no memory, and 2 us per pose where a quick answer takes 7. Keeping the poses would
 * need 128 bytes each. A pipe is answered until the first line that is no pose.
 */
import { InputError } from '../../base/errors.ts';
import type { CheckOptions } from '../../engine/options.ts';
import type { Asset } from '../../engine/representation.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
import { errorOf } from '../../work/pool.ts';
import { openSchedule, type Schedule, threadsFor } from '../../work/schedule.ts';
import { answerersOf } from '../answerers.ts';
import type { DeviceName } from '../arguments.ts';
import type { Asker } from '../inputs/pair.ts';
import { type Style, summaryOf } from '../report-lines.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';
import {
  type Answers,
  type Ask,
  addCounts,
  answerBlock,
  askOf,
  type Counts,
  NO_COUNTS,
  type PosesData,
  type PosesTask,
  posesOfPair,
} from './answers.ts';
import type { AngleUnit } from './columns.ts';
import { openTeller, type Teller } from './poses-on-gpu.ts';
import { openPoses, type PoseSource } from './read-poses.ts';

/** Opens workers of a queue. */
export type OpenOthers = (assets: [Asset, Asset], data: PosesData) => Schedule<PosesTask, Answers>;

interface ManyPoses {
  file: string;
  options: CheckOptions;
  style: Style;
  summary: boolean;
  /** Threads, at most four times the number of processors, which is the default. */
  jobs: number | undefined;
  device: DeviceName;
  angles: AngleUnit | undefined;
  openOthers: OpenOthers | undefined;
}

/**
 * @returns the exit code
 * @throws InputError for invalid poses, and if there is none
 */
export async function answerPoses(
  asker: Asker,
  { file, options, style, summary, jobs, device, angles, openOthers }: ManyPoses,
  session: Session,
): Promise<number> {
  // Mixtures of kinds use wide OBB trees.
  await loadKinds('obb');
  const both = asker.whole();
  const units = both && [both.a, both.b].map((asset) => representationOf(asset).units(asset)).find((unit) => unit);
  const source = openPoses(file, { angles, units });
  const threads = threadsFor(jobs);
  // The number of poses in a pipe is unknown.
  let questions = Number.POSITIVE_INFINITY;
  let askWhole: Ask | undefined;
  const own: CheckOptions = { ...options, ...(await answerersOf(options)) };
  const ask: Ask = (poseB, clear) => {
    const whole = askWhole ? null : asker.whole();
    if (whole) askWhole = askOf(whole.a, whole.b, { ...own, loadMs: whole.loadMs }, questions);
    return askWhole ? askWhole(poseB, clear) : asker.ask({ ...own, poseB });
  };
  // Null until the assets are read whole.
  const sent = (): Parameters<OpenOthers> | null => {
    const whole = asker.whole();
    return whole && [[whole.a, whole.b], { options: { ...options, loadMs: whole.loadMs }, style, questions }];
  };
  const schedule = openSchedule<PosesTask, Answers>(threads, {
    answer: (task) => answerBlock(task.block, style, task.questions === null ? null : ask, task.told),
    open() {
      const given = sent();
      return given && posesOfPair.open(threads, ...given);
    },
    onAlone: ({ message }) =>
      session.log.warn(`--jobs ${threads}: no other thread starts, so one does all the work: ${message}`),
  });
  let teller: Teller | null = null;
  let others: Schedule<PosesTask, Answers> | null = null;
  try {
    if (source.rewind) {
      const { poses } = await run(schedule, source, null, null);
      requirePoses(file, poses);
      questions = poses;
      source.rewind();
    }
    teller = await openTeller(device, asker, options, questions, session);
    if (openOthers) others = openOthers(...sent()!);
    const counts = await run(others ?? schedule, source, questions, teller);
    // Silence must not pass for a verdict: the program that writes the poses may have failed.
    requirePoses(file, counts.poses);
    if (style.json ? summary : !style.quiet) await print(summaryOf(counts.tally, style));
    return counts.code;
  } finally {
    source.close();
    await schedule.close();
    await others?.close();
    teller?.close();
  }
}

function requirePoses(file: string, count: number): void {
  if (count === 0) throw new InputError(`--poses ${file}: expected at least one pose, found none`);
}

async function run(
  schedule: Schedule<PosesTask, Answers>,
  source: PoseSource,
  questions: number | null,
  teller: Teller | null,
): Promise<Counts> {
  let counts = NO_COUNTS;
  const blocks = schedule.run({
    async next(most) {
      const block = await source.read(most);
      return block && { block, questions, told: (await teller?.tell(block)) ?? null };
    },
    unitsOf: ({ block }) => (block.kind === 'lines' ? block.bytes : block.numbers).byteLength,
    hasMore: ({ block }) => block.hasMore,
    left: source.left,
  });
  for await (const answers of blocks) {
    if (answers.output.length > 0) await print(answers.output);
    if (answers.fault) throw errorOf(answers.fault);
    counts = addCounts(counts, answers);
  }
  return counts;
}
