/** Answers a block of poses, on any thread or machine. */

import type { CheckOptions } from '../../engine/options.ts';
import { DEVICE_CLEAR, DEVICE_WORDS } from '../../engine/pose-device.ts';
import { openPair } from '../../engine/prepared.ts';
import { adoptWide, type SharedTrees, wideTreesOf } from '../../engine/prepared-kernel.ts';
import type { Report } from '../../engine/records.ts';
import { ContactList, type Walk } from '../../engine/records.ts';
import { addTolerances, reportOf } from '../../engine/report.ts';
import type { Asset } from '../../engine/representation.ts';
import type { Pose } from '../../math/pose.ts';
import { textOfPose } from '../../report/check-details.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
import { type Begin, type Fault, faultOf, openPool, type WorkKind } from '../../work/pool.ts';
import { answerersOf } from '../answerers.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import type { Style, Tally } from '../report-lines.ts';
import { type Block, halveBlock, visitPoses } from './read-poses.ts';

/** Answers to the poses of a block, up to the first that fails. */
export interface Answers {
  output: Uint8Array;
  poses: number;
  tally: Tally;
  /** The highest exit code of the answers. */
  code: number;
  fault: Fault | null;
}

export type Counts = Pick<Answers, 'poses' | 'tally' | 'code'>;
export const NO_COUNTS: Counts = { poses: 0, tally: { clear: 0, contact: 0, undecided: 0 }, code: EXIT.expected };

export const addCounts = (a: Counts, b: Counts): Counts => ({
  poses: a.poses + b.poses,
  tally: {
    clear: a.tally.clear + b.tally.clear,
    contact: a.tally.contact + b.tally.contact,
    undecided: a.tally.undecided + b.tally.undecided,
  },
  code: Math.max(a.code, b.code),
});

export interface PosesData {
  options: CheckOptions;
  style: Style;
  /** Total number of poses to answer. */
  questions: number;
}

export interface PosesTask {
  block: Block;
  /** As above; null if the block is only validated. */
  questions: number | null;
  told: Told | null;
}

/** False if an option leaves kernels out: nothing is prepared for them then. */
const isFreeToChoose = ({ engine, bounds }: CheckOptions): boolean => engine === undefined && bounds === undefined;

interface ThreadData extends PosesData {
  wide: SharedTrees;
}

export const posesOfPair: WorkKind<PosesData, PosesTask, Answers> = {
  name: 'poses',
  async open(threads, [a, b], data) {
    await loadKinds('obb', a.representation, b.representation);
    const isFast = isFreeToChoose(data.options) && openPair(a, b, { questions: data.questions }).isFast;
    const own: ThreadData = { ...data, wide: wideTreesOf(isFast ? [[a, b]] : []) };
    return openPool(threads, { module: new URL('./answers.js', import.meta.url), assets: [a, b], data: own });
  },
  halve({ block, questions }) {
    return (halveBlock(block)?.map((half) => ({ block: half, questions, told: null })) ?? null) as
      | [PosesTask, PosesTask]
      | null;
  },
  // Answers after a fault are not printed.
  join: (a, b) => (a.fault ? a : { ...addCounts(a, b), output: Buffer.concat([a.output, b.output]), fault: b.fault }),
};

export const begin: Begin<ThreadData, PosesTask, Answers> = async ([a, b], { options, style, wide }) => {
  await loadKinds('obb', a.representation, b.representation);
  const own = { ...options, ...(await answerersOf(options)) };
  adoptWide(wide);
  let ask: Ask | undefined;
  return ({ block, questions, told }) => {
    if (questions !== null) ask ??= askOf(a, b, own, questions);
    return answerBlock(block, style, questions === null ? null : (ask as Ask), told);
  };
};

interface Clear extends Walk {
  ms: number;
}

/** Answers one pose of b, whose array is overwritten afterwards; `clear` if that is known. */
export type Ask = (poseB: Pose, clear: Clear | null) => Report | Promise<Report>;

export interface Told {
  /** DEVICE_WORDS per pose. */
  words: Uint32Array;
  /** Approximate milliseconds per pose. */
  ms: number;
}

function clearIn(told: Told | null, pose: number): Clear | null {
  const at = DEVICE_WORDS * pose;
  if (!told || told.words[at] !== DEVICE_CLEAR) return null;
  const [bounds, hulls, level] = told.words.subarray(at + 1, at + DEVICE_WORDS);
  return { bounds, hulls, level, ms: told.ms };
}

function reportOfClear(a: Asset, b: Asset, options: CheckOptions, clear: Clear): Report {
  const { all = false, maxContacts = 0 } = options;
  const outcome = new ContactList({ all, maxContacts }).outcome(clear);
  const [ofA, ofB] = [a, b].map((asset) => representationOf(asset).tolerance(asset));
  const circumstances = { tolerance: addTolerances(ofA, ofB), distance: false, queryMs: clear.ms };
  return reportOf({ outcome, engine: 'kernel', nearest: null }, options, a, b, circumstances);
}

/** Answers by loaded assets; `questions` is the expected number of poses. */
export function askOf(a: Asset, b: Asset, options: CheckOptions, questions: number): Ask {
  const own = { ...options };
  const pair = openPair(a, b, isFreeToChoose(options) ? { questions } : {});
  return (poseB, clear) => {
    if (clear) return reportOfClear(a, b, options, clear);
    own.poseB = poseB;
    return pair.report(own);
  };
}

function lineOf(report: Report, style: Style, pose: number): string {
  if (!style.json) return textOfPose(report, style, pose);
  // Cheaper than copying the report to add a key.
  return `{"pose":${pose},${JSON.stringify(report).slice(1)}\n`;
}

/** Answers a block; without `ask` only checks that it contains valid poses. */
export async function answerBlock(block: Block, style: Style, ask: Ask | null, told: Told | null): Promise<Answers> {
  let text = '';
  let poses = 0;
  const tally: Tally = { clear: 0, contact: 0, undecided: 0 };
  let code: number = EXIT.expected;
  let fault: Fault | null = null;
  const add = (report: Report): void => {
    code = Math.max(code, exitCodeOf(report, style));
    text += lineOf(report, style, block.first + poses);
    tally[report.verdict]++;
    poses++;
  };
  const look = (): void => {
    poses++;
  };
  const answer = (pose: Pose): void | Promise<void> => {
    const report = ask?.(pose, clearIn(told, poses));
    if (report instanceof Promise) return report.then(add);
    if (report) add(report);
  };
  try {
    await visitPoses(block, ask ? answer : look);
  } catch (error) {
    fault = faultOf(error);
  }
  return { output: new TextEncoder().encode(text), poses, tally, code, fault };
}
