/** `gicollide scene` of what moves: frame after frame, which pairs touch, and when each pair first did. */
import { FormatError, InputError, OptionError } from '../math/errors.ts';
import { grouped, printable } from '../math/printable.ts';
import { nearest, quoted } from '../readers/json-messages.ts';
import type { FindingClass, SurfaceClass } from '../scene/classes.ts';
import { type FrameModel, placementOf, readFrame } from '../scene/model.ts';
import type { FramePoses, Scene, StepsOptions, Touching } from '../scene/report.ts';
import { EXIT } from './exit-codes.ts';
import { print } from './files.ts';
import { openLines } from './poses.ts';
import { about } from './session.ts';

/** A frame, and what errors call the place where it stands. */
export interface PlacedFrame {
  frame: FrameModel;
  file: string;
  /** Its line in the file; null where it stands in the scene file itself. */
  line: number | null;
}

/** Who may be named in a frame. */
export interface Movable {
  /** The objects of each name: of an instance all that it was split into. */
  members: ReadonlyMap<string, readonly string[]>;
  /** Names of what could not be read: they move nothing. */
  absent: ReadonlySet<string>;
}

export interface FramesOptions {
  json: boolean;
  events: boolean;
  quiet: boolean;
  failOn: readonly FindingClass[];
  stepping: StepsOptions;
  /** Of the summary: what is known before the first frame. */
  facts: { objects: number; unchecked: number; baked: number; units: string | null };
}

/** Bytes of a file of frames that are read at once. */
const BLOCK = 2 ** 18;
/** Characters that are printed at once. */
const BATCH = 2 ** 16;
/** Names of a frame's line of text; the rest is counted. */
const MOST_NAMED = 8;

/** The frames of a file, a line each; no more than some lines are held. */
export async function* framesOfFile(path: string): AsyncGenerator<PlacedFrame> {
  const source = openLines(path);
  const decoder = new TextDecoder();
  try {
    for (let block = await source.read(BLOCK); block !== null; block = await source.read(BLOCK)) {
      if (block.kind !== 'lines') continue;
      const lines = decoder.decode(block.bytes).split(/\r\n|\r|\n/);
      for (const [i, text] of lines.entries()) {
        if (text.trim() === '') continue;
        const line = block.line + i;
        yield { frame: inLine(path, line, () => readFrame(text)), file: path, line };
      }
    }
  } finally {
    source.close();
  }
}

/** Of frames that stand in a scene file. */
export function* framesOfModel(file: string, frames: readonly FrameModel[]): Generator<PlacedFrame> {
  for (const frame of frames) yield { frame, file, line: null };
}

/** An error of a line with the file and the line in front; a line of JSON has no lines of its own. */
function inLine<T>(file: string, line: number | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (line === null || !(error instanceof InputError)) throw error;
    if (error instanceof FormatError)
      throw new InputError(new FormatError({ line }, error.expected, error.found).describe(file));
    throw new InputError(`${file}:${line}: ${error.message}`);
  }
}

/** First frame and time, by class. */
type Firsts = Partial<Record<SurfaceClass, { frame: number; time: number | null }>>;

/**
 * Steps through all frames.
 *
 * @returns the exit code
 */
export async function runFrames(
  scene: Scene,
  frames: AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>,
  movable: Movable,
  options: FramesOptions,
): Promise<number> {
  const { json, quiet, failOn, facts } = options;
  const start = performance.now();
  const history = new History();
  const printer = createPrinter();
  try {
    for await (const { time = null } of stepThrough(scene, frames, movable, options.stepping)) {
      const number = history.count;
      const changes = history.add(time, scene.touching());
      if (json || !quiet) await printer.say(linesOfFrame(number, time, history.now, changes, options));
    }
    if (history.count === 0) throw new InputError('frames: there is none');
    const totals = history.totals();
    const ms = Math.round(performance.now() - start);
    const { objects, ...rest } = facts;
    const all = { type: 'summary', objects, frames: history.count, ...totals, pairs: history.firsts(), ...rest, ms };
    if (json) await printer.say([JSON.stringify(all)]);
    else if (!quiet) await printer.say(history.firsts().flatMap(textsOfFirsts));
    if (!json) await printer.say([textOfTotals(totals, history.count, facts, ms)]);
    if (facts.unchecked > 0) return EXIT.failed;
    if (totals.undecided > 0) return EXIT.undecided;
    return CLASSES.some((found) => failOn.includes(found) && totals[found] > 0) ? EXIT.other : EXIT.expected;
  } finally {
    await printer.end();
  }
}

/**
 * Steps through frames, and gives each when it is told. The scene may take some ahead: an error of
 * one comes after those before it, with its place in front.
 */
async function* stepThrough(
  scene: Scene,
  frames: AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>,
  movable: Movable,
  stepping: StepsOptions,
): AsyncGenerator<FrameModel, void> {
  const taken: PlacedFrame[] = [];
  let count = 0;
  let wrong: unknown;
  async function* poses(): AsyncGenerator<FramePoses, void> {
    try {
      for await (const placed of frames) {
        const number = placed.line === null ? count : null;
        count++;
        const own = await at(placed, () => posesOf(placed.frame, movable, number));
        taken.push(placed);
        yield own;
      }
    } catch (error) {
      wrong = error;
    }
  }
  const steps = scene.steps(poses(), stepping);
  try {
    while (true) {
      const { done } = await steps.next().catch((error) => {
        if (taken.length === 0) throw error;
        return at(taken[0], () => {
          throw error;
        });
      });
      if (done) break;
      yield (taken.shift() as PlacedFrame).frame;
    }
  } finally {
    await steps.return();
  }
  if (wrong !== undefined) throw wrong;
}

/** Runs work about a frame: an error of it says where the frame stands. */
const at = <T>({ file, line }: PlacedFrame, work: () => T): Promise<T> => about(file, () => inLine(file, line, work));

/** Prints lines some at a time. */
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
  event: SurfaceClass | 'parted';
  a: string;
  b: string;
}

/** When each pair first touched, and what touches now. */
class History {
  count = 0;
  now: ReadonlyMap<string, Touching> = new Map();
  private readonly pairs = new Map<string, { a: string; b: string; first: Firsts }>();

  /** Returns the pairs whose class is another than in the frame before, in the order of their names. */
  add(time: number | null, touching: readonly Touching[]): Change[] {
    const before = this.now;
    const now = new Map(touching.map((found) => [JSON.stringify([found.a, found.b]), found]));
    const changes: Change[] = [];
    for (const [key, { a, b, class: event }] of now) {
      if (before.get(key)?.class === event) continue;
      changes.push({ event, a, b });
      const pair = this.pairs.get(key) ?? { a, b, first: {} };
      pair.first[event] ??= { frame: this.count, time };
      this.pairs.set(key, pair);
    }
    for (const [key, { a, b }] of before) if (!now.has(key)) changes.push({ event: 'parted', a, b });
    this.now = now;
    this.count++;
    return changes.sort(byNames);
  }

  /** How many pairs were ever of each class. */
  totals(): Record<SurfaceClass, number> {
    const totals = { contact: 0, near: 0, undecided: 0 };
    for (const { first } of this.pairs.values()) for (const found of CLASSES) totals[found] += first[found] ? 1 : 0;
    return totals;
  }

  firsts(): { a: string; b: string; first: Firsts }[] {
    return [...this.pairs.values()].sort(byNames);
  }
}

const CLASSES = ['contact', 'near', 'undecided'] as const;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byNames = (p: { a: string; b: string }, q: { a: string; b: string }): number =>
  compare(p.a, q.a) || compare(p.b, q.b);

function linesOfFrame(
  frame: number,
  time: number | null,
  now: ReadonlyMap<string, Touching>,
  changes: readonly Change[],
  { json, events }: FramesOptions,
): string[] {
  const pairs = [...now.values()];
  if (!events) return [json ? JSON.stringify({ type: 'frame', frame, time, pairs }) : textOfFrame(frame, time, pairs)];
  return changes.map(({ event, a, b }) =>
    json
      ? JSON.stringify({ type: 'event', frame, time, event, a, b })
      : `${placeText(frame, time)}  ${event}  ${printable(a)}  ${printable(b)}`,
  );
}

/**
 * Poses of objects, of those of instances.
 *
 * @param number of a frame of the scene file itself, for messages
 */
function posesOf({ poses }: FrameModel, { members, absent }: Movable, number: number | null) {
  const moved: Record<string, ReturnType<typeof placementOf>['pose']> = {};
  const prefix = number === null ? '' : `frames[${number}].`;
  for (const [name, placement] of Object.entries(poses)) {
    const objects = members.get(name);
    if (!objects) {
      if (absent.has(name)) continue;
      const near = nearest(name, [...members.keys()]);
      const meant = near === null ? '' : `: did you mean ${near}?`;
      throw new FormatError(null, `names of instances at ${prefix}poses`, quoted(name) + meant);
    }
    const { pose, baked } = placementOf(placement);
    if (baked)
      throw new OptionError(`${prefix}poses.${name}: its matrix scales, shears or mirrors; a frame only moves`);
    for (const object of objects) moved[object] = pose;
  }
  return moved;
}

const placeText = (frame: number, time: number | null): string =>
  `frame ${frame}${time === null ? '' : `  time ${time}`}`;

function textOfFrame(frame: number, time: number | null, touching: readonly Touching[]): string {
  const parts = CLASSES.flatMap((found) => {
    const own = touching.filter((pair) => pair.class === found);
    if (own.length === 0) return [];
    const names = own.slice(0, MOST_NAMED).map(({ a, b }) => `${printable(a)} ${printable(b)}`);
    return [
      `${own.length} ${found === 'contact' ? 'in contact' : found}: ${names.join(', ')}${own.length > MOST_NAMED ? ', ...' : ''}`,
    ];
  });
  return `${placeText(frame, time)}  ${parts.length === 0 ? 'clear' : parts.join('; ')}`;
}

const textsOfFirsts = ({ a, b, first }: { a: string; b: string; first: Firsts }): string[] =>
  (Object.entries(first) as [SurfaceClass, { frame: number; time: number | null }][]).map(
    ([found, { frame, time }]) => `first ${found}  ${printable(a)}  ${printable(b)}  in ${placeText(frame, time)}`,
  );

function textOfTotals(
  { contact, near, undecided }: Record<SurfaceClass, number>,
  frames: number,
  { objects, unchecked }: FramesOptions['facts'],
  ms: number,
): string {
  const pairs = (n: number, what: string): string => `${grouped(n)} ${what}`;
  return [
    `${grouped(objects)} objects, ${grouped(frames)} frame${frames === 1 ? '' : 's'}: ` +
      pairs(contact, `pair${contact === 1 ? '' : 's'} in contact`),
    ...(near > 0 ? [pairs(near, 'near')] : []),
    pairs(undecided, 'undecided'),
    ...(unchecked > 0 ? [`${unchecked} unchecked`] : []),
    `${(ms / 1000).toFixed(1)} s`,
  ].join(', ');
}
