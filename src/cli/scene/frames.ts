/**
 * `gicollide scene` with motion: which pairs touch in each frame, and when each pair first did. A
 * GPU may find the pairs.
 */
import { FormatError, InputError, OptionError } from '../../base/errors.ts';
import { suggestion } from '../../base/patterns.ts';
import { counted, grouped, printable, quoted } from '../../base/printable.ts';
import { compose, type Pose } from '../../math/pose.ts';
import type { TimeInterval } from '../../motion/motion.ts';
import { placementOf } from '../../motion/placement.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import type { FindingClass, SurfaceClass } from '../../scene/classes.ts';
import { type Coverage, type Covered, coverageText } from '../../scene/coverage.ts';
import type { Deformation } from '../../scene/deformation.ts';
import { findingId } from '../../scene/finding-id.ts';
import type { Frame, FrameImpact, FramePoses, StepsOptions } from '../../scene/records.ts';
import type { PlacedScene } from '../../scene/scene.ts';
import { type FrameModel, readFrame } from '../../scene/scene-file.ts';
import type { DeviceName } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import type { FindingLog, Marks, Missing } from '../findings/finding-log.ts';
import { openDevice, warnOfAssets, warnOfGpu } from '../gpu-device.ts';
import type { NamedPlace } from '../inputs/name.ts';
import { inLine, linesOf } from '../lines.ts';
import type { OutputCounts } from '../make/used-outputs.ts';
import { about, type Session, type WarningRecord } from '../session.ts';
import { print } from '../terminal.ts';
import { intervalText } from '../units.ts';
import { alignedLines, type Row, rowOfPair, rowOfUnchecked } from './finding-lines.ts';
import { byNames, type FoundInFrame, Insides, keyOf } from './insides.ts';
import { listOf, outputsInWords } from './print-scene.ts';
import { isShown, Tally } from './tally.ts';

export interface PlacedFrame {
  time: number | null;
  poses(movable: Movable): Record<string, Pose>;
  file: string;
  /** Its line in the file; null if the scene file contains it. */
  line: number | null;
}

export interface Movable {
  /** Objects by name; an instance has all objects into which it was split. */
  members: ReadonlyMap<string, readonly string[]>;
  /** Poses of objects in the frames of their instances, if not the identity. */
  within: ReadonlyMap<string, Pose>;
  /** Names of unreadable objects, whose poses are ignored. */
  absent: ReadonlySet<string>;
  /** Deforming objects; each shows the current frame. */
  deforming: ReadonlyMap<string, Deformation>;
}

export type Frames = AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>;

interface PrintOptions {
  json: boolean;
  events: boolean;
  quiet: boolean;
  verbose: boolean;
  /** Hints about the run's files, after the last frame. */
  hints(): string[];
}

interface FramesOptions {
  failOn: readonly FindingClass[];
  log: FindingLog;
  covered: Pick<Covered, 'findings' | 'failures' | 'open'>;
  warnings(): readonly WarningRecord[];
  /** True if the frames would report two objects of these names if they touched. */
  looksAt(a: string, b: string): boolean;
  stepping: StepsOptions;
  /** Summary fields known before the first frame. */
  facts: {
    objects: number;
    unchecked: number;
    coverage?: Coverage;
    baked: number;
    units: string | null;
    outputs?: OutputCounts;
  };
  /** Summary fields about a robot, after the last frame. */
  robot?: () => RobotFacts;
}

export interface RobotFacts {
  /** Pairs of links that may touch since a joint connects them. */
  adjacent: number;
  /** States with a joint beyond its limits. */
  beyondLimits: number;
}

const BATCH = 2 ** 16;
/** Names in a frame's line of text; the rest is counted. */
const MOST_NAMED = 8;

export async function* framesOfFile(path: string, place: NamedPlace): AsyncGenerator<PlacedFrame> {
  for await (const { text, line } of linesOf(path, place)) {
    const frame = inLine(path, line, () => readFrame(text));
    yield { time: frame.time ?? null, poses: (movable) => posesOf(frame, movable, null), file: path, line };
  }
}

export function* framesOfModel(file: string, frames: readonly FrameModel[]): Generator<PlacedFrame> {
  for (const [n, frame] of frames.entries())
    yield { time: frame.time ?? null, poses: (movable) => posesOf(frame, movable, n), file, line: null };
}

/** Yields as many frames as the longest deformation has; nothing else moves. */
export function* framesOfDeforming(file: string, deforming: ReadonlyMap<string, Deformation>): Generator<PlacedFrame> {
  const counts = [...deforming.values()].map(({ frames }) => frames.count);
  for (let n = 0; n < Math.max(...counts); n++) yield { time: null, poses: () => ({}), file, line: null };
}

/** First frame and its time; with --continuous also the interval on the way to that frame. */
interface First extends Partial<TimeInterval> {
  frame: number;
  time: number | null;
}

type Firsts = Partial<Record<SurfaceClass, First>>;

export async function runFrames(
  scene: PlacedScene,
  frames: Frames,
  movable: Movable,
  options: FramesOptions & PrintOptions,
): Promise<number> {
  const { json, quiet, facts, log } = options;
  const printer = createPrinter();
  try {
    const found = await findInFrames(scene, frames, movable, options, async (frame) => {
      if (json || !quiet) await printer.say(linesOfFrame(frame, options));
    });
    const { summary, beside, missing } = found;
    if (json) await printer.say([...beside, ...missing, summary].map((record) => JSON.stringify(record)));
    else await printer.say(endingOf(found, options));
    await printer.end();
    log.requireBaseline();
    if (facts.unchecked > 0) return EXIT.failed;
    if (log.undecided > 0) return EXIT.undecided;
    return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
  } finally {
    await printer.end();
  }
}

/** The first contacts of each pair, the account, and the outcome. */
function endingOf({ summary, firsts, marks, missing }: FoundInFrames, options: FramesOptions & PrintOptions): string[] {
  const { facts, covered, log, quiet, verbose } = options;
  const rows = firsts.flatMap((pair, n) =>
    rowsOfFirsts(pair, marks[n]).flatMap((row, k) => (isShown(marks[n][k], { quiet, verbose }) ? [row] : [])),
  );
  const lines = [...alignedLines([...covered.findings.map(rowOfUnchecked), ...rows])];
  if (quiet) return lines;
  const tally = new Tally(facts.unchecked);
  for (const each of marks.flat()) tally.add(each);
  return [
    ...(lines.length > 0 ? [...lines, ''] : []),
    ...(verbose ? [] : tally.hidden()),
    ...accountOfFrames(summary, summary.ms),
    ...[...log.states(missing), ...log.written],
    ...[...log.hints(), ...options.hints()].map((hint) => `hint: ${hint}`),
    tally.outcome((summary.adjacent ?? 0) + (summary.related ?? 0)),
  ];
}

interface SeenFrame {
  frame: number;
  time: number | null;
  now: ReadonlyMap<string, FoundInFrame>;
  changes: readonly Change[];
  /** Contacts on the way here; times are those of frames, or frame numbers without times. */
  met: readonly FrameImpact[];
}

type FramesSummary = Record<SurfaceClass, number> &
  FramesOptions['facts'] &
  Partial<RobotFacts> & {
    type: 'summary';
    frames: number;
    first: First | null;
    /** Allowed pairs that belong together in IFC. */
    related?: number;
    /** With --continuous: number of contacts between frames that the second does not show. */
    missed?: number;
    /** The first time of each class for each pair. */
    pairs: { a: string; b: string; first: Firsts }[];
    ms: number;
  };

interface FoundInFrames {
  summary: FramesSummary;
  firsts: FramesSummary['pairs'];
  /** Marks for each pair, class by class. */
  marks: (Marks & { class: string })[][];
  /** Records of warnings, unchecked elements and unreadable inputs. */
  beside: object[];
  missing: Missing[];
}

export async function findInFrames(
  scene: PlacedScene,
  frames: Frames,
  movable: Movable,
  { failOn, facts, log, covered, warnings, looksAt, stepping, robot }: FramesOptions,
  onFrame: (frame: SeenFrame) => unknown = () => {},
): Promise<FoundInFrames> {
  const start = performance.now();
  const history = new History();
  const insides = new Insides(scene, movable.deforming);
  let missed = 0;
  let last: number | null = null;
  for await (const { placed, poses, step } of stepThrough(scene, frames, movable, stepping)) {
    const frame = history.count;
    const { time } = placed;
    const met = timed(step.impacts ?? [], frame, last, time);
    missed += met.filter(({ isMissed }) => isMissed).length;
    history.meet(time, met);
    const touching = new Map(scene.touching().map((pair) => [keyOf(pair), pair]));
    const changes = history.add(time, await insides.add(poses, touching, history.now, met));
    await onFrame({ frame, time, now: history.now, changes, met });
    last = time;
  }
  if (history.count === 0) throw new InputError('frames: there is none');
  const ms = Math.round(performance.now() - start);
  const { objects, ...known } = facts;
  const warned = warnings();
  const firsts = history.firsts();
  const summary: FramesSummary = {
    ...{ type: 'summary', objects, frames: history.count, ...history.totals() },
    ...{ first: history.firstContact(), pairs: firsts, ...known, ...listOf(warned), ...robot?.() },
    ...(stepping.continuous && { missed }),
    ms,
  };
  const marks = marksOf(firsts, failOn);
  log.take(summary, marks.flat());
  const told = [...warned, ...covered.findings];
  log.note(told);
  const beside = [...told, ...covered.failures.map(({ names, problem }) => log.fail(names.join(', '), problem))];
  const wasAsked = ({ names: [a, b] }: BaselineEntry): boolean =>
    b !== undefined && !covered.open.has(a) && !covered.open.has(b) && looksAt(a, b);
  const missing = await log.end(null, wasAsked, { command: 'scene' });
  return { summary, firsts, marks, beside, missing };
}

/** Converts impacts to the frames' times, rounded outward, or to numbers if these don't ascend. */
function timed(
  impacts: readonly FrameImpact[],
  frame: number,
  last: number | null,
  time: number | null,
): FrameImpact[] {
  const [begin, end] = last !== null && time !== null && time > last ? [last, time] : [frame - 1, frame];
  const at = (part: number): number => (part === 1 ? end : begin + part * (end - begin));
  const ulp = (x: number): number => 2 ** -51 * (Math.abs(x) + Math.abs(begin));
  return impacts.map(({ from, to, ...impact }) => ({
    ...impact,
    from: Math.max(begin, at(from) - ulp(at(from))),
    to: Math.min(end, at(to) + ulp(at(to))),
  }));
}

const marksOf = (
  firsts: readonly { first: Firsts }[],
  failOn: readonly FindingClass[],
): (Marks & { class: string })[][] =>
  firsts.map(({ first }) =>
    (Object.keys(first) as SurfaceClass[]).map((found) => {
      const level = found === 'undecided' ? 'warning' : failOn.includes(found) ? 'error' : 'note';
      return { class: found, level };
    }),
  );
/** Yields frames after their check. An error follows the earlier frames, and names its place. */
async function* stepThrough(
  scene: PlacedScene,
  frames: Frames,
  movable: Movable,
  stepping: StepsOptions,
): AsyncGenerator<{ placed: PlacedFrame; poses: Record<string, Pose>; step: Frame }, void> {
  const taken: { placed: PlacedFrame; poses: Record<string, Pose> }[] = [];
  let wrong: unknown;
  async function* poses(): AsyncGenerator<FramePoses, void> {
    let n = 0;
    try {
      for await (const placed of frames) {
        const own = await at(placed, () => {
          for (const deformation of movable.deforming.values()) deformation.show(n);
          return placed.poses(movable);
        });
        n++;
        taken.push({ placed, poses: own });
        yield own;
      }
    } catch (error) {
      wrong = error;
    }
  }
  const steps = scene.steps(poses(), stepping);
  try {
    while (true) {
      const { done, value } = await steps.next().catch((error) => {
        if (taken.length === 0) throw error;
        return at(taken[0].placed, () => {
          throw error;
        });
      });
      if (done) break;
      yield { ...taken.shift()!, step: value };
    }
  } finally {
    await steps.return();
  }
  if (wrong !== undefined) throw wrong;
}

/** Runs work on a frame; errors name the frame's place. */
const at = <T>({ file, line }: PlacedFrame, work: () => T): Promise<T> => about(file, () => inLine(file, line, work));

function createPrinter() {
  let batch = '';
  const end = async (): Promise<void> => {
    if (batch !== '') await print(batch);
    batch = '';
  };
  return {
    async say(lines: readonly string[]): Promise<void> {
      for (const line of lines) batch += `${line}\n`;
      if (batch.length >= BATCH) await end();
    },
    end,
  };
}

interface Change {
  event: SurfaceClass | 'inside' | 'parted';
  a: string;
  b: string;
  inner?: 'a' | 'b';
}

class History {
  count = 0;
  now: ReadonlyMap<string, FoundInFrame> = new Map();
  private readonly pairs = new Map<string, { a: string; b: string; first: Firsts }>();

  /** Returns the pairs whose class differs from the frame before, in the order of their names. */
  add(time: number | null, now: ReadonlyMap<string, FoundInFrame>): Change[] {
    const before = this.now;
    const changes: Change[] = [];
    for (const [key, { a, b, class: found, inner }] of now) {
      const known = before.get(key);
      if (known?.class === found && known.inner === inner) continue;
      changes.push(inner ? { event: 'inside', a, b, inner } : { event: found, a, b });
      this.pairOf(a, b).first[found] ??= { frame: this.count, time };
    }
    for (const [key, { a, b }] of before) if (!now.has(key)) changes.push({ event: 'parted', a, b });
    this.now = now;
    this.count++;
    return changes.sort(byNames);
  }

  meet(time: number | null, met: readonly FrameImpact[]): void {
    for (const { a, b, class: found, from, to } of met)
      this.pairOf(a, b).first[found] ??= { frame: this.count, time, from, to };
  }

  private pairOf(a: string, b: string): { a: string; b: string; first: Firsts } {
    const key = JSON.stringify([a, b]);
    const pair = this.pairs.get(key) ?? { a, b, first: {} };
    this.pairs.set(key, pair);
    return pair;
  }

  totals(): Record<SurfaceClass, number> {
    const totals = { contact: 0, near: 0, undecided: 0 };
    for (const { first } of this.pairs.values()) for (const found of CLASSES) totals[found] += first[found] ? 1 : 0;
    return totals;
  }

  firstContact(): First | null {
    let least: First | null = null;
    for (const { first } of this.pairs.values())
      if (first.contact && (least === null || isSooner(first.contact, least))) least = first.contact;
    return least;
  }

  firsts(): { a: string; b: string; first: Firsts }[] {
    return [...this.pairs.values()].sort(byNames);
  }
}

/** A contact on the way to a frame is earlier than the frame's own. */
const isSooner = (p: First, q: First): boolean =>
  p.frame < q.frame ||
  (p.frame === q.frame && (p.from ?? Number.POSITIVE_INFINITY) < (q.from ?? Number.POSITIVE_INFINITY));

const CLASSES = ['contact', 'near', 'undecided'] as const;

function linesOfFrame({ frame, time, now, changes, met }: SeenFrame, { json, events }: PrintOptions): string[] {
  const pairs = [...now.values()];
  const before = met.map(({ a, b, class: found, from, to, isMissed }) =>
    json
      ? JSON.stringify({ type: 'impact', frame, time, class: found, a, b, from, to, isMissed })
      : `before frame ${frame}  ${found}  ${printable(a)}  ${printable(b)}  in ${intervalText({ from, to })}`,
  );
  if (!events)
    return [...before, json ? JSON.stringify({ type: 'frame', frame, time, pairs }) : textOfFrame(frame, time, pairs)];
  const changed = changes.map(({ event, ...pair }) =>
    json
      ? JSON.stringify({ type: 'event', frame, time, event, ...pair })
      : `${placeText(frame, time)}  ${event}  ${namesOf(pair).join('  ')}`,
  );
  return [...before, ...changed];
}

/** @param number of a frame in the scene file, for messages */
function posesOf({ poses }: FrameModel, { members, within, absent }: Movable, number: number | null) {
  // An object may be called __proto__.
  const moved: Record<string, Pose> = Object.create(null);
  const prefix = number === null ? '' : `frames[${number}].`;
  for (const [name, placement] of Object.entries(poses)) {
    const objects = members.get(name);
    if (!objects) {
      if (absent.has(name)) continue;
      const meant = suggestion(name, members.keys());
      throw new FormatError(null, `names of instances at ${prefix}poses`, quoted(name) + meant);
    }
    const { pose, linear } = placementOf(placement);
    if (linear)
      throw new OptionError(`${prefix}poses.${name}: its matrix scales, shears or mirrors; a frame only moves`);
    for (const object of objects) {
      const own = within.get(object);
      moved[object] = own ? compose(pose, own) : pose;
    }
  }
  return moved;
}

const placeText = (frame: number, time: number | null): string =>
  `frame ${frame}${time === null ? '' : `  time ${time}`}`;

/** The inner object comes first. */
const namesOf = ({ a, b, inner }: Pick<FoundInFrame, 'a' | 'b' | 'inner'>): string[] =>
  (inner === 'b' ? [b, a] : [a, b]).map(printable);

function textOfFrame(frame: number, time: number | null, touching: readonly FoundInFrame[]): string {
  const parts = (['contact', 'inside', 'near', 'undecided'] as const).flatMap((found) => {
    const own = touching.filter((pair) => (pair.inner ? 'inside' : pair.class) === found);
    if (own.length === 0) return [];
    const names = own.slice(0, MOST_NAMED).map((pair) => namesOf(pair).join(' '));
    return [
      `${own.length} ${found === 'contact' ? 'in contact' : found}: ${names.join(', ')}${own.length > MOST_NAMED ? ', ...' : ''}`,
    ];
  });
  return `${placeText(frame, time)}  ${parts.length === 0 ? 'clear' : parts.join('; ')}`;
}

const rowsOfFirsts = (
  { a, b, first }: Pick<FramesSummary['pairs'][number], 'a' | 'b' | 'first'>,
  marks: FoundInFrames['marks'][number],
): Row[] =>
  (Object.entries(first) as [SurfaceClass, First][]).map(([found, own], n) => {
    const id = findingId(`frames ${found}`, a, b);
    return rowOfPair(marks[n], { what: `first ${found}`, names: [a, b], when: whenText(own), id });
  });

const whenText = ({ frame, time, from, to }: First): string =>
  from === undefined || to === undefined
    ? `in ${placeText(frame, time)}`
    : `before frame ${frame}, in ${intervalText({ from, to })}`;

/** Accounts for all objects and all frames, a line each. @param ms duration; null: omitted */
export function accountOfFrames(summary: FramesSummary, ms: number | null): string[] {
  const { objects, frames, first, contact, near, undecided, missed, coverage, adjacent, beyondLimits, related } =
    summary;
  const isWhole = !coverage || coverage.checked === coverage.elements;
  const found = [
    `${counted(frames, 'frame')}: ${counted(contact, 'pair')} in contact`,
    ...(first === null ? [] : [`the first ${whenText(first)}`]),
    ...(missed ? [`${grouped(missed)} missed by the frames`] : []),
    ...(near > 0 ? [`${grouped(near)} near`] : []),
    `${grouped(undecided)} undecided`,
    ...(adjacent ? [`${counted(adjacent, 'pair')} of adjacent links allowed`] : []),
    ...(related ? [`${counted(related, 'pair')} of IFC elements that belong together allowed`] : []),
    ...(beyondLimits ? [`${counted(beyondLimits, 'state')} beyond limits`] : []),
    ...(ms === null ? [] : [`${(ms / 1000).toFixed(1)} s`]),
  ];
  const all = isWhole ? counted(objects, 'object') : coverageText(coverage, 'object');
  return [[all, ...outputsInWords(summary)].join(isWhole ? ': ' : '; '), found.join(', ')];
}

/** From this many objects on `auto` uses a GPU: a core takes milliseconds for such a frame. */
const MANY_OBJECTS = 1000;

/** `scene --device`: steps through frames with or without a GPU; the answer is the same. */
export async function stepOnGpu<Answer>(
  name: DeviceName = 'cpu',
  { forDevice, objects }: PlacedScene,
  session: Session,
  run: (stepping: StepsOptions) => Promise<Answer>,
): Promise<Answer> {
  if (forDevice === 0)
    warnOfAssets(
      name,
      objects.map(({ asset }) => asset),
      session,
    );
  const wish = { name, isWorthIt: forDevice >= MANY_OBJECTS };
  const device = forDevice > 0 ? await openDevice(wish, session) : undefined;
  if (!device) return run({});
  try {
    return await run({ device, onAlone: (error) => warnOfGpu(name, error, session) });
  } finally {
    device.close();
  }
}
