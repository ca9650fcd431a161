/**
 * Answers about two objects at every move, within a frame.
 *
 * The kernel takes 0.01 ms to tell if two surfaces of 70,000 triangles touch, so that always runs
 * to its end. The distance has the rest of the frame: 0.3 ms on average, 2 ms for one pose in
 * twenty. If it is not found by then, it is left out.
 */
import { InputError } from '../base/errors.ts';
import { type Bounds, boundsOf } from '../engine/bounds.ts';
import { isOfTriangles } from '../engine/operand.ts';
import { createPair, type Pair } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { representationOf } from '../representations/kinds.ts';
import { solids } from '../solid/class-of.ts';
import type { Judged } from './judged.ts';
import type { QuickAnswer } from './protocol.ts';

/** Milliseconds of a frame for both questions; the page needs the rest. */
const FRAME = 10;
/** Minimum milliseconds for the distance. */
const LEAST = 2;
const NARROW = 1e-4;

export interface QuickPair {
  pair: Pair;
  assets: readonly [Asset, Asset];
  /** True if one is a function: distances are then brackets. */
  isBracketed: boolean;
}

export const quickPair = (a: Asset, b: Asset): QuickPair => ({
  pair: createPair(a, b, { questions: Number.POSITIVE_INFINITY }),
  assets: [a, b],
  isBracketed: [a, b].some((asset) => representationOf(asset).solid !== undefined),
});

/** @param judged distances up to its clearance are `near` */
export function quickAnswer(
  { pair, assets, isBracketed }: QuickPair,
  poseA: ArrayLike<number>,
  poseB: ArrayLike<number>,
  judged: Judged,
): QuickAnswer {
  try {
    const met = pair.report({ poseA, poseB });
    const { engine, tests } = met;
    const told = { verdict: met.verdict, judged, engine, problem: null };
    if (met.verdict === 'contact')
      return { ...told, distance: 0, line: isBracketed ? lineOf(met) : null, tests, ms: met.ms.query };
    const close = judged.clearance > 0 ? pair.clearance(poseB, judged.clearance, poseA) : met.verdict;
    // Objects that may touch are not near.
    const verdict = close === 'contact' ? (met.verdict === 'clear' ? 'near' : met.verdict) : close;
    const isInside = judged.solid !== 'off' && areNested(assets, poseA, poseB) && isInsideOf(assets, poseA, poseB);
    const budget = Math.max(LEAST, FRAME - met.ms.query);
    const { witness, bracket, ...far } = pair.report({ poseA, poseB, distance: true, budget });
    // A core search that runs out of time leaves a wide bracket for a solid.
    const isWide = isBracketed && bracket !== null && bracket.upper - bracket.lower > NARROW * bracket.upper;
    const distance = isWide ? null : far.distance;
    return {
      ...told,
      verdict,
      ...(isInside && { class: 'inside' }),
      distance,
      ...(distance === null && bracket && { bracket }),
      line: distance !== null && distance > 0 ? lineOf({ witness }) : null,
      tests: { bounds: tests.bounds + far.tests.bounds, hulls: tests.hulls + far.tests.hulls },
      ms: met.ms.query + far.ms.query,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...UNKNOWN, judged, problem: error.message };
  }
}

const lineOf = ({ witness }: Pick<Report, 'witness'>): number[] | null => witness && [...witness.a, ...witness.b];

/**
 * True if one of the two may be inside the other: the middle of its box is then in the other's box.
 * For solids defined by functions, the verdict is enough.
 */
function areNested(assets: QuickPair['assets'], poseA: ArrayLike<number>, poseB: ArrayLike<number>): boolean {
  if (!assets.every(isOfTriangles)) return false;
  const [p, q] = [boundsOf(assets[0], poseA), boundsOf(assets[1], poseB)];
  const holds = (outer: Bounds, inner: Bounds): boolean =>
    inner.low.every((low, k) => {
      const middle = low / 2 + inner.high[k] / 2;
      return middle >= outer.low[k] && middle <= outer.high[k];
    });
  return holds(p, q) || holds(q, p);
}

function isInsideOf([a, b]: QuickPair['assets'], poseA: ArrayLike<number>, poseB: ArrayLike<number>): boolean {
  const found = createPair(a, b, { questions: 1 }).report({ poseA, poseB, solid: 'auto', depth: 'off', solids });
  return found.class === 'inside';
}

const UNKNOWN: Omit<QuickAnswer, 'problem' | 'judged'> = {
  ...{ verdict: 'undecided', distance: null, line: null, engine: 'search', tests: { bounds: 0, hulls: 0 }, ms: 0 },
};
