/** `gicollide check --motion`: finds when two moving objects first touch. */
import { OptionError } from '../base/errors.ts';
import { counted, printable } from '../base/printable.ts';
import { openPair as openStillPair } from '../engine/prepared.ts';
import type { Report, Verdict } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import type { Impact, ImpactOptions, RigidMotion } from '../motion/motion.ts';
import { readMotion } from '../motion/motion-file.ts';
import { openPair } from '../motion/moving-pair.ts';
import { nounOf, partsText, type TextOptions, unitOf, verdictText } from '../report/check-text.ts';
import { loadKinds, representationOf } from '../representations/kinds.ts';
import { flagOf, MOST_CONTACTS, type MotionFlags } from './check-flags.ts';
import { EXIT } from './exit-codes.ts';
import { nameOf } from './inputs/name.ts';
import { readWhole } from './inputs/open.ts';
import { about, type Session } from './session.ts';
import { begunByCode, type GlobalOptions, print } from './terminal.ts';
import { betweenText } from './units.ts';

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
    if (own) throw new OptionError(`${flagOf(own)} needs a motion: name its file with --motion`);
    return;
  }
  // It has a value even if none is given.
  const { maxContacts, ...others } = flags;
  const given = maxContacts === MOST_CONTACTS ? others : flags;
  const other = Object.entries(given).find(([key, value]) => value !== undefined && !TAKEN.includes(key));
  if (other)
    throw new OptionError(
      `${flagOf(other[0])} is for objects at rest, but --motion moves both: leave out one of the two`,
    );
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
  { verbose = false, quiet = false }: GlobalOptions,
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
  else {
    const met = impact.verdict === 'contact' ? meetingAt(impact.first!.to, [a, b], [motionA, motionB], style) : null;
    const units = representationOf(a).units(a);
    const asked = { maxContacts: 1, ...options, verbose, quiet, units };
    await print(begunByCode(code, textOf(impact, sides, { files, time, queryMs, asked, met })));
  }
  return code;
}

/** Checks the two where they stand at a time. */
function meetingAt(
  time: number,
  [a, b]: readonly [Asset, Asset],
  [motionA, motionB]: readonly RigidMotion[],
  { clearance }: MotionStyle,
): Report | null {
  const options = { witness: true, ...(clearance !== undefined && { clearance }) };
  const found = openStillPair(a, b).report({ ...options, poseA: motionA.poseAt(time), poseB: motionB.poseAt(time) });
  return found.verdict === 'contact' ? found : null;
}

function codeOf(verdict: Verdict, { expect }: MotionStyle): number {
  if (verdict === 'undecided') return EXIT.undecided;
  return verdict === expect ? EXIT.expected : EXIT.other;
}

/** Rounds to a microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const SHOWN = 10;

interface Told {
  files: readonly [string, string];
  time: { begin: number; end: number };
  queryMs: number;
  asked: TextOptions;
  /** How the two meet at the end of `first`; null if they don't. */
  met: Report | null;
}

function textOf(impact: Impact, sides: { representation: string }[], told: Told): string {
  const { verdict, first, intervals, distance, pair, tests } = impact;
  const { files, time, queryMs, asked, met } = told;
  const when = !first
    ? ` from time ${time.begin} to ${time.end}`
    : verdict === 'contact'
      ? `, first ${betweenText(first)}`
      : '';
  const lines = [];
  if (verdict === 'undecided' && first) lines.push(`clear until the time ${first.from}, then ${whyUndecided(asked)}`);
  if (pair) lines.push(`first contact: ${partsText(sides, pair)}`);
  for (const interval of intervals?.slice(0, SHOWN) ?? [])
    lines.push(`${interval.verdict} ${betweenText(interval, interval.verdict === 'contact' ? 'inward' : 'outward')}`);
  if (intervals && intervals.length > SHOWN) lines.push(`... ${intervals.length - SHOWN} more`);
  if (distance) {
    const { lower, upper } = distance;
    lines.push(`least distance between ${lower} and ${upper}${unitOf(asked)}, the latter at time ${distance.time}`);
  }
  if (asked.verbose) {
    const hulls = `${nounOf(...sides)} test`;
    const counts = [counted(tests.bounds, 'bound test'), counted(tests.hulls, hulls), counted(tests.times, 'time')];
    lines.push(`${counts.join(', ')}, ${queryMs.toFixed(2)} ms`);
  }
  const shown = asked.quiet ? [] : lines;
  const [a, b] = files.map(printable);
  const place = verdictText({ verdict, witness: met?.witness ?? null }, asked);
  return `${[`${place}${when}  ${a}  ${b}`, ...shown].join('\n  ')}\n`;
}

function whyUndecided({ budget, clearance = 0, ...asked }: TextOptions): string {
  if (budget !== undefined) return `--budget ${budget} ended the search: give it more milliseconds`;
  return clearance > 0
    ? `too close to the clearance of ${clearance}${unitOf(asked)} to tell: choose another --clearance`
    : 'they touch, or come closer than can be told: --clearance with a small length decides that';
}
