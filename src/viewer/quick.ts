/**
 * Answers about two objects at every move, within a frame.
 *
 * The kernel takes 0.01 ms to tell if two surfaces of 70,000 triangles touch, so that always runs
 * to its end. The distance has the rest of the frame: 0.3 ms on average, 2 ms for one pose in
 * twenty. If it is not found by then, it is left out.
 */
import { InputError } from '../base/errors.ts';
import { createPair, type Pair } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { representationOf } from '../representations/kinds.ts';
import type { QuickAnswer } from './protocol.ts';

/** Milliseconds of a frame for both questions; the page needs the rest. */
const FRAME = 10;
/** Minimum milliseconds for the distance. */
const LEAST = 2;
const NARROW = 1e-4;

export interface QuickPair {
  pair: Pair;
  /** True if one is a function: distances are then brackets. */
  isBracketed: boolean;
}

export const quickPair = (a: Asset, b: Asset): QuickPair => ({
  pair: createPair(a, b, { questions: Number.POSITIVE_INFINITY }),
  isBracketed: [a, b].some((asset) => representationOf(asset).solid !== undefined),
});

/** @param clearance distances up to this count as contact */
export function quickAnswer(
  { pair, isBracketed }: QuickPair,
  poseA: ArrayLike<number>,
  poseB: ArrayLike<number>,
  clearance: number,
): QuickAnswer {
  try {
    const met = pair.report({ poseA, poseB, clearance });
    const { verdict, engine, tests } = met;
    const told = { verdict, engine, problem: null };
    if (verdict === 'contact' && clearance === 0)
      return { ...told, distance: 0, line: isBracketed ? lineOf(met) : null, tests, ms: met.ms.query };
    const budget = Math.max(LEAST, FRAME - met.ms.query);
    const { witness, bracket, ...far } = pair.report({ poseA, poseB, distance: true, budget });
    // A core search that runs out of time leaves a solid's bracket wide.
    const isWide = isBracketed && bracket !== null && bracket.upper - bracket.lower > NARROW * bracket.upper;
    const distance = isWide ? null : far.distance;
    return {
      ...told,
      distance,
      ...(distance === null && bracket && { bracket }),
      line: distance !== null && distance > 0 ? lineOf({ witness }) : null,
      tests: { bounds: tests.bounds + far.tests.bounds, hulls: tests.hulls + far.tests.hulls },
      ms: met.ms.query + far.ms.query,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...UNKNOWN, problem: error.message };
  }
}

const lineOf = ({ witness }: Pick<Report, 'witness'>): number[] | null => witness && [...witness.a, ...witness.b];

const UNKNOWN: Omit<QuickAnswer, 'problem'> = {
  ...{ verdict: 'undecided', distance: null, line: null, engine: 'search', tests: { bounds: 0, hulls: 0 }, ms: 0 },
};
