/** Makes the report from any engine's answer. */

import type { CheckOptions } from './options.ts';
import {
  type Bracket,
  type Engine,
  type Nearest,
  nothingMeasured,
  type Outcome,
  type Report,
  type Tolerance,
  type Witness,
} from './records.ts';
import type { Asset } from './representation.ts';

export interface Answer {
  outcome: Outcome;
  engine: Engine;
  /** Null if another engine answered, or no distance was asked for. */
  nearest: Nearest | null;
}

export const TOUCHING: Nearest = { ...nothingMeasured(), upper: 0 };

interface Circumstances {
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
    ...(options.bounds && { bounds: options.bounds }),
    tolerance,
    contacts: outcome.contacts,
    distance: distance && isFound && nearest.isComplete ? nearest.upper : null,
    witness: outcome.witness === undefined ? (isFound ? witnessIn(nearest) : sharedPoint(outcome)) : outcome.witness,
    bracket: nearest ? { lower: nearest.lower, upper: nearest.upper } : leftOpen(outcome),
    ...(outcome.cells && { cells: outcome.cells }),
    ...(outcome.seed && { seed: outcome.seed }),
    ...(outcome.random && { random: outcome.random }),
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(queryMs) },
  };
}

export const witnessIn = ({ a, b, onA, onB }: Nearest): Witness => ({
  ...{ a: Array.from(onA), b: Array.from(onB) },
  pair: [a, b],
});

function sharedPoint({ point, contacts }: Outcome): Witness | null {
  return point ? { a: point, b: point, pair: contacts.pairs[0] } : null;
}

const leftOpen = ({ upper, lower = 0 }: Outcome): Bracket | null => (upper === undefined ? null : { lower, upper });

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

export function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}
