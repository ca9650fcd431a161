/**
 * `check --poses`: answers in the order of the poses, on as many threads as are worth it.
 *
 * A file is read twice, in blocks: first to find bad poses before the first answer, then to answer.
 * That needs no memory, and 2 us per pose where a quick answer takes 7. Keeping the poses would
 * need 128 bytes each. A pipe is answered until the first line that is no pose.
 */
import { InputError } from '../math/errors.ts';
import { answeringPair } from '../pair/mixture.ts';
import type { CheckOptions } from '../pair/options.ts';
import { openPair } from '../pair/pair.ts';
import { type Crew, openCrew } from '../pair/threads/crew.ts';
import { errorOf } from '../pair/threads/faults.ts';
import { threadsFor } from '../pair/threads/jobs.ts';
import { openSchedule, type Schedule } from '../pair/threads/schedule.ts';
import { shareAssets } from '../pair/threads/shared-assets.ts';
import type { Asset } from '../query/representation.ts';
import { loadKinds } from '../representations/kinds.ts';
import { type Answers, type Ask, answerBlock, askOf, type Told } from './answers.ts';
import type { DeviceName } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { print } from './files.ts';
import type { Session } from './inputs.ts';
import type { Asker } from './on-demand.ts';
import { type Block, openPoses, type PoseSource } from './poses.ts';
import { openTeller, type Teller } from './poses-on-gpu.ts';
import { type Style, summaryOf, type Tally } from './report-lines.ts';

export interface WorkerData {
  options: CheckOptions;
  style: Style;
}
export interface Task {
  block: Block;
  /** Total number of poses to answer; null if the block is only validated. */
  questions: number | null;
  told: Told | null;
}

export type OpenOthers = (asker: Asker, data: WorkerData, questions: number) => Schedule<Task, Answers>;

/**
 * @param jobs threads, at most four times the number of processors, which is the default
 * @returns the exit code
 * @throws InputError for invalid poses, and if there is none
 */
export async function answerPoses(
  file: string,
  asker: Asker,
  options: CheckOptions,
  style: Style,
  hasSummary: boolean,
  jobs: number | undefined,
  device: DeviceName,
  openOthers: OpenOthers | undefined,
  session: Session,
): Promise<number> {
  // Mixtures of kinds use wide OBB trees.
  await loadKinds('obb');
  const source = openPoses(file);
  const threads = threadsFor(jobs);
  // The number of poses in a pipe is unknown.
  let questions = Number.POSITIVE_INFINITY;
  let askWhole: Ask | undefined;
  const ask: Ask = (poseB, clear) => {
    const whole = askWhole ? null : asker.whole();
    if (whole) askWhole = askOf(whole.a, whole.b, { ...options, loadMs: whole.loadMs }, questions);
    return askWhole ? askWhole(poseB, clear) : asker.ask({ ...options, poseB });
  };
  const schedule = openSchedule<Task, Answers>(threads, {
    answer: (task) => answerBlock(task.block, style, task.questions === null ? null : ask, task.told),
    open() {
      // Null until the assets are read whole.
      const whole = asker.whole();
      if (!whole) return null;
      const { a, b, loadMs } = whole;
      return openPosesCrew(threads, [a, b], { options: { ...options, loadMs }, style }, questions);
    },
    onAlone: ({ message }) => session.log.warn(`--jobs ${threads}: one thread alone goes on: ${message}`),
  });
  let teller: Teller | null = null;
  let others: Schedule<Task, Answers> | null = null;
  try {
    if (source.rewind) {
      const { poses } = await run(schedule, source, null, null);
      requirePoses(file, poses);
      questions = poses;
      source.rewind();
    }
    teller = await openTeller(device, asker, options, questions, session);
    if (openOthers) others = openOthers(asker, { options, style }, questions);
    const { poses, tally, code } = await run(others ?? schedule, source, questions, teller);
    // Silence must not pass for a verdict: the program that writes the poses may have failed.
    requirePoses(file, poses);
    if (hasSummary) await print(summaryOf(tally, style));
    return code;
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
  schedule: Schedule<Task, Answers>,
  source: PoseSource,
  questions: number | null,
  teller: Teller | null,
): Promise<Pick<Answers, 'poses' | 'tally' | 'code'>> {
  let poses = 0;
  const tally: Tally = { clear: 0, contact: 0, undecided: 0 };
  let code: number = EXIT.expected;
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
    poses += answers.poses;
    for (const verdict of ['clear', 'contact', 'undecided'] as const) tally[verdict] += answers.tally[verdict];
    code = Math.max(code, answers.code);
  }
  return { poses, tally, code };
}

/** Opens threads with the assets, and with the trees that their kernel uses instead. */
export function openPosesCrew(
  threads: number,
  [a, b]: readonly [Asset, Asset],
  { options, style }: WorkerData,
  questions: number,
): Promise<Crew<Task, Answers>> {
  const isFast = options.engine === undefined && openPair(a, b, { questions }).isFast;
  const read = isFast ? answeringPair(a, b) : [a, b];
  const data: WorkerData = { options, style };
  return openCrew(threads, new URL('./poses-worker.js', import.meta.url), shareAssets(a, b, ...read), data);
}
