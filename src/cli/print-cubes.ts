/** Reports the results of cubes, for a run or for a merge of its shards. */

import { excludedText } from '../base/patterns.ts';
import { counted, grouped, pointText, printable } from '../base/printable.ts';
import type { Level } from '../report/finding.ts';
import { type Coverage, type Covered, coverageText } from '../scene/coverage.ts';
import { EXIT } from './exit-codes.ts';
import type { BaselineFlags } from './findings/baseline-file.ts';
import { type FindingLog, isRed, type Marks } from './findings/finding-log.ts';
import { lineOfUnchecked, listOf } from './scene/print-scene.ts';
import type { Session, WarningRecord } from './session.ts';
import { print } from './terminal.ts';

export interface CubesCollision {
  a: string;
  b: string;
  cubes: number;
  /** Lowest and highest corner of these cubes. */
  low: number[];
  high: number[];
  level: Level;
}

export interface CubesLine {
  verdict: 'clear' | 'contact';
  precision: number;
  models: number;
  pairs: number;
  cubes: number;
  /**
   * The paper's TotalPairCount: pairs of cubes of different models, whatever the method. Rounded
   * from 2^53 on. Absent from a merge of shards of 0.1.
   */
  totalPairCount?: number | undefined;
  colliding: { pairs: number; cubes: number };
  collisions: (CubesCollision & Marks)[];
  method: 'sorted' | 'all-pairs';
  ms: number;
  /** Counts of elements; absent from shards of 0.1. */
  coverage?: Coverage;
  /** Objects left out by --exclude, if it is given. */
  excluded?: number;
  incomplete?: Covered['allowed'];
  /** Warnings of readers, one line each. */
  warnings?: string[];
}

export function cubesLine(
  collisions: CubesCollision[],
  {
    precision,
    models,
    pairs,
    cubes,
    totalPairCount,
    method,
    ms,
  }: Omit<CubesLine, 'verdict' | 'colliding' | 'collisions'>,
): CubesLine {
  const total = collisions.reduce((sum, found) => sum + found.cubes, 0);
  return {
    verdict: total > 0 ? 'contact' : 'clear',
    ...{ precision, models, pairs, cubes, totalPairCount, colliding: { pairs: collisions.length, cubes: total } },
    ...{ collisions, method, ms },
  };
}

interface CubesRun {
  names: readonly string[];
  /** True if the pair was to be checked. */
  isAsked?(a: string, b: string): boolean;
  expect: CubesLine['verdict'];
  /** True if other shares check other parts of space: collisions may be there. */
  isShare: boolean;
  /** True if something was left out without permission. */
  isIncomplete: boolean;
  covered?: Pick<Covered, 'findings' | 'failures' | 'open' | 'allowed'> & { coverage?: Coverage | undefined };
  warnings?: readonly WarningRecord[];
}

/** Colliding pairs in the text output; --json lists all. */
const SHOWN_PAIRS = 100;

export async function tellCubes(
  found: CubesLine,
  { names, isAsked = () => true, expect, isShare, isIncomplete, covered, warnings = [] }: CubesRun,
  log: FindingLog,
  { json, baseline }: BaselineFlags & { json?: boolean },
  session: Session,
): Promise<number> {
  const { coverage, findings = [], allowed = [], open } = covered ?? {};
  const line: CubesLine = {
    ...found,
    ...(coverage && { coverage }),
    ...(allowed.length > 0 && { incomplete: allowed }),
    ...listOf(warnings),
  };
  log.take(line, line.collisions);
  const beside = [...warnings, ...findings];
  log.note(beside);
  const known = new Set(names.filter((name) => !open?.has(name)));
  const wasAsked = ({ names: [a, b] }: { names: string[] }): boolean =>
    !isShare && known.has(a) && known.has(b) && isAsked(a, b);
  const missing = await log.end(null, wasAsked, { command: 'cubes' });
  if (json) await print([...beside, ...missing, line].map((record) => `${JSON.stringify(record)}\n`).join(''));
  else {
    const { quiet } = session.global;
    const lines = quiet ? [] : findings.map((finding) => `${lineOfUnchecked(finding)}\n`);
    const ending = [...log.states(missing), ...(quiet ? [] : log.written)].map((own) => `${own}\n`);
    await print(`${lines.join('')}${textOf(line, session)}${ending.join('')}`);
  }
  if (isIncomplete || (coverage && coverage.unchecked > 0)) return EXIT.failed;
  if (baseline !== undefined) return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
  return line.verdict === expect ? EXIT.expected : EXIT.other;
}

function textOf(line: CubesLine, { global }: Session): string {
  const { collisions, colliding, precision, models, pairs, coverage, totalPairCount: total } = line;
  const excluded = excludedText(line).map((text) => `, ${text}`);
  const work =
    total === undefined || !global.verbose
      ? ''
      : `; --all-pairs compares ${grouped(total)} pairs of cubes (TotalPairCount)`;
  const isWhole = !coverage || coverage.checked === coverage.elements;
  const covered = isWhole ? '' : `${coverageText(coverage, 'model')}; `;
  let text = '';
  const red = collisions.filter((found) => isRed(found) || global.verbose);
  const shown = global.quiet ? [] : red.slice(0, SHOWN_PAIRS);
  for (const { a, b, cubes, low, high, state } of shown) {
    text += `${printable(a)}  ${printable(b)}  ${counted(cubes, 'common cube')}, from ${pointText(low)} to ${pointText(high)}${state ? `  ${state}` : ''}\n`;
  }
  if (shown.length > 0 && red.length > SHOWN_PAIRS)
    text += `... and ${counted(red.length - SHOWN_PAIRS, 'more pair')}: --json lists all\n`;
  const all = `${grouped(colliding.pairs)} of ${grouped(pairs)} pairs of ${grouped(models)} models collide`;
  return `${text}${covered}${all}, in ${counted(colliding.cubes, 'cube')} of ${precision}${excluded.join('')}${work}\n`;
}
