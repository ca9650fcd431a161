/**
 * What is told of two at every move, within a frame.
 *
 * The kernel says whether two surfaces of 70,000 triangles touch in 0.01 ms, so that is always
 * asked to its end. The distance has what is left of the frame: 0.3 ms in the middle, 2 ms for one
 * pose in twenty; what is not found by then is left out.
 */
import { InputError } from '../../math/errors.ts';
import { createPair, type Pair } from '../../pair/pair.ts';
import type { Asset } from '../../query/representation.ts';
import { representationOf } from '../../representations/kinds.ts';
import type { QuickAnswer } from '../protocol.ts';

/** Milliseconds of a frame that both questions may take; the rest of it is the page's. */
const FRAME = 10;
/** Milliseconds that the distance has at least. */
const LEAST = 2;
/** The width of a bracket that is shown as one number, as a part of it. */
const NARROW = 1e-4;

/** Two assets that are asked at every move. */
export interface QuickPair {
  pair: Pair;
  /** Whether a function defines one of them: distances are then brackets. */
  isBracketed: boolean;
}

/** Prepares two assets for any number of questions. */
export const quickPair = (a: Asset, b: Asset): QuickPair => ({
  pair: createPair(a, b, { questions: Number.POSITIVE_INFINITY }),
  isBracketed: [a, b].some((asset) => representationOf(asset).solid !== undefined),
});

/** @param clearance also what is no farther apart than this is a contact */
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
    if (verdict === 'contact' && clearance === 0) return { ...told, distance: 0, line: null, tests, ms: met.ms.query };
    const budget = Math.max(LEAST, FRAME - met.ms.query);
    const { witness, bracket, ...far } = pair.report({ poseA, poseB, distance: true, budget });
    // A search for cores that ends late leaves the bracket of a solid wide.
    const isWide = isBracketed && bracket !== null && bracket.upper - bracket.lower > NARROW * bracket.upper;
    const distance = isWide ? null : far.distance;
    return {
      ...told,
      distance,
      ...(distance === null && bracket && { bracket }),
      line: distance !== null && distance > 0 && witness ? [...witness.a, ...witness.b] : null,
      tests: { bounds: tests.bounds + far.tests.bounds, hulls: tests.hulls + far.tests.hulls },
      ms: met.ms.query + far.ms.query,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...UNKNOWN, problem: error.message };
  }
}

const UNKNOWN: Omit<QuickAnswer, 'problem'> = {
  ...{ verdict: 'undecided', distance: null, line: null, engine: 'search', tests: { bounds: 0, hulls: 0 }, ms: 0 },
};
