/** `gicollide check --motion`: finds when two moving objects first touch. */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Verdict } from '../engine/records.ts';
import { nounOf } from '../engine/report.ts';
import type { Asset } from '../engine/representation.ts';
import type { Impact, ImpactOptions, RigidMotion } from '../motion/motion.ts';
import { readMotion } from '../motion/motion-file.ts';
import { openPair } from '../motion/moving-pair.ts';
import { loadKinds } from '../representations/kinds.ts';
import { flagOf, MOST_CONTACTS, type MotionFlags } from './check-flags.ts';
import { EXIT } from './exit-codes.ts';
import { nameOf } from './inputs/name.ts';
import { readWhole } from './inputs/open.ts';
import { about, type Session } from './session.ts';
import { begunByCode, print } from './terminal.ts';
import { intervalText } from './units.ts';

interface MovingFiles {
  files: readonly [string, string];
  a: Asset;
  b: Asset;
  loadMs: number;
}

/** Options that --motion accepts beside its own. */
const TAKEN = [
  'motion',
  'timeResolution',
  'allIntervals',
  'clearance',
  'distance',
  'budget',
  'expect',
  'json',
  'name',
  'units',
  'unitsA',
  'unitsB',
];

/** Refuses options of one pose or of a scene beside --motion, and options of motions without it. */
export function requireMotion(flags: MotionFlags & { maxContacts?: number }): void {
  if (flags.motion === undefined) {
    const own = (['timeResolution', 'allIntervals'] as const).find((key) => flags[key] !== undefined);
    if (own) throw new OptionError(`${flagOf(own)}: of a motion; --motion says which`);
    return;
  }
  // It has a value even if none is given.
  const { maxContacts, ...others } = flags;
  const given = maxContacts === MOST_CONTACTS ? others : flags;
  const other = Object.entries(given).find(([key, value]) => value !== undefined && !TAKEN.includes(key));
  if (other)
    throw new OptionError(`${flagOf(other[0])}: of what stands still; --motion moves both: leave out one of them`);
}

export const motionsOf = (file: string, session: Session): Promise<{ a: RigidMotion; b: RigidMotion }> =>
  about(nameOf(file, session), () => readMotion(readWhole(file, session)));

interface MotionStyle extends MotionFlags {
  clearance?: number;
  distance?: boolean;
  budget?: number;
  json?: boolean;
  expect: Exclude<Verdict, 'undecided'>;
}

export async function answerMotion(
  { files, a, b, loadMs }: MovingFiles,
  { a: motionA, b: motionB }: { a: RigidMotion; b: RigidMotion },
  style: MotionStyle,
): Promise<number> {
  // Mixtures of kinds use wide OBB trees.
  await loadKinds('obb');
  const { clearance, timeResolution, allIntervals, distance, budget } = style;
  const options: ImpactOptions = {
    ...(clearance !== undefined && { clearance }),
    ...(timeResolution !== undefined && { timeResolution }),
    ...(allIntervals && { allIntervals }),
    ...(distance && { distance }),
    ...(budget !== undefined && { budget }),
  };
  const start = performance.now();
  const impact = openPair(a, b).impact(motionA, motionB, options);
  const queryMs = performance.now() - start;
  const sides = [a, b].map(({ representation }, i) => ({ file: files[i], representation }));
  const time = { begin: Math.max(motionA.begin, motionB.begin), end: Math.min(motionA.end, motionB.end) };
  const ms = { load: round(loadMs), query: round(queryMs) };
  const code = codeOf(impact.verdict, style);
  if (style.json) await print(`${JSON.stringify({ ...impact, a: sides[0], b: sides[1], time, ms })}\n`);
  else await print(begunByCode(code, textOf(impact, sides, time, ms.query)));
  return code;
}

function codeOf(verdict: Verdict, { expect }: MotionStyle): number {
  if (verdict === 'undecided') return EXIT.undecided;
  return verdict === expect ? EXIT.expected : EXIT.other;
}

/** Rounds to a microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const SHOWN = 10;

interface Side {
  file: string;
  representation: string;
}

function textOf(impact: Impact, [a, b]: Side[], time: { begin: number; end: number }, ms: number): string {
  const { verdict, first, intervals, distance, pair, tests } = impact;
  const when =
    first === null
      ? `from ${time.begin} to ${time.end}`
      : verdict === 'contact'
        ? `first in ${intervalText(first)}`
        : `clear before ${intervalText(first)}`;
  const effort = [
    count(tests.bounds, 'bound test'),
    count(tests.hulls, `${nounOf(a, b)} test`),
    count(tests.times, 'time'),
    `${ms.toFixed(2)} ms`,
  ];
  const lines = [`${verdict}  ${printable(a.file)}  ${printable(b.file)}  ${when}  (${effort.join(', ')})`];
  if (pair) lines.push(`  first contact: ${nounOf(a)} ${pair[0]} of a, ${nounOf(b)} ${pair[1]} of b`);
  for (const interval of intervals?.slice(0, SHOWN) ?? [])
    lines.push(
      `  ${interval.verdict} in ${intervalText(interval, interval.verdict === 'contact' ? 'inward' : 'outward')}`,
    );
  if (intervals && intervals.length > SHOWN) lines.push(`  ... ${intervals.length - SHOWN} more`);
  if (distance) {
    const { lower, upper } = distance;
    lines.push(`  least distance between ${lower} and ${upper}, the latter at time ${distance.time}`);
  }
  return `${lines.join('\n')}\n`;
}

const count = (n: number, name: string): string => `${n} ${name}${n === 1 ? '' : 's'}`;
