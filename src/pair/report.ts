/** Makes the report from any engine's answer. */
import { type Nearest, nothingMeasured } from '../query/nearest.ts';
import type { Bracket, Engine, Outcome, Report, Tolerance, Witness } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import type { CheckOptions } from './options.ts';

export interface Answer {
  outcome: Outcome;
  engine: Engine;
  /** Null if another engine answered, or no distance was asked for. */
  nearest: Nearest | null;
}

export const TOUCHING: Nearest = { ...nothingMeasured(), upper: 0 };

export interface Circumstances {
  tolerance: Tolerance;
  distance: boolean;
  queryMs: number;
}

export function reportOf(
  answer: Answer,
  options: CheckOptions,
  a: Asset,
  b: Asset,
  circumstances: Circumstances,
): Report {
  const { outcome, engine, nearest } = answer;
  const { tolerance, distance, queryMs } = circumstances;
  const isFound = nearest !== null && nearest.a >= 0;
  return {
    verdict: outcome.verdict,
    a: { file: options.fileA ?? null, representation: a.representation },
    b: { file: options.fileB ?? null, representation: b.representation },
    path: engine === 'closest' || engine === 'common' ? 'common' : 'native',
    engine,
    tolerance,
    contacts: outcome.contacts,
    distance: distance && isFound && nearest.isComplete ? nearest.upper : null,
    witness: isFound
      ? { a: Array.from(nearest.onA), b: Array.from(nearest.onB), pair: [nearest.a, nearest.b] }
      : sharedPoint(outcome),
    bracket: nearest ? { lower: nearest.lower, upper: nearest.upper } : leftOpen(outcome),
    ...(outcome.cells && { cells: outcome.cells }),
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(queryMs) },
  };
}

function sharedPoint({ point, contacts }: Outcome): Witness | null {
  return point ? { a: point, b: point, pair: contacts.pairs[0] } : null;
}

const leftOpen = ({ upper, lower = 0 }: Outcome): Bracket | null => (upper === undefined ? null : { lower, upper });

/** Rounds to a microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

export function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}
