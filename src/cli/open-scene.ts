/**
 * A scene as the command line names it: all objects, where they stand, and what is asked of them.
 */
import { InputError, OptionError } from '../math/errors.ts';
import type { Pose } from '../math/pose.ts';
import { type Covered, cover, type ElementNote, type Unchecked } from '../scene/coverage.ts';
import type { SceneObject, SceneOptions, StepsOptions } from '../scene/report.ts';
import type { Allowance, IncompleteAllowance } from '../scene/rules.ts';
import { STDIN } from './files.ts';
import { requireInputs, type Session, saySkipped } from './inputs.ts';
import { moveRobots } from './robot-flags.ts';
import type { Frames, Movable } from './scene-frames.ts';
import { type InputFlags, type Inputs, loadInputs, loadingOf, requireOneUnitBeside } from './scene-inputs.ts';
import type { Facts } from './scene-lines.ts';
import type { RobotFlags, RobotScene } from './scene-robot.ts';
import { type SolidFlags, solidOptionsOf } from './solid-flags.ts';
import { notThere, sayUnchecked } from './tell-coverage.ts';

export interface OpenFlags extends InputFlags, SolidFlags, Omit<RobotFlags, 'states'> {
  against?: string[];
  allow?: Allowance[];
  allowIncomplete?: IncompleteAllowance[];
  clearance?: number;
  strict?: boolean;
}

/** What is loaded, and what is not. */
export interface LoadedObjects {
  loaded: Inputs;
  /** Of --against. */
  others: Inputs | undefined;
  /** Of both sides, where their files have them. */
  objects: SceneObject[];
  /** What became of every element. */
  covered: Covered;
  leftOut: ElementNote[];
  /** Objects that could not be made, and why. */
  gone: Unchecked[];
  /** Whether something was left out that may not be. */
  isIncomplete: boolean;
}

export interface OpenedScene extends Pick<LoadedObjects, 'objects' | 'covered' | 'leftOut' | 'isIncomplete'> {
  asked: SceneOptions;
  /** The frames to step through, where a scene file or a robot has some. */
  frames: Frames | null;
  /** How objects go from frame to frame. */
  ways: Pick<StepsOptions, 'between' | 'about'>;
  movable: Movable;
  robot: RobotScene | null;
  /** What a summary says of the files. */
  facts: Omit<Facts, 'seconds'>;
}

/**
 * Loads the objects of all inputs.
 *
 * @param isWanted which of them are made; is asked about each
 * @throws InputError where there is none, and something could not be read
 */
export async function loadObjects(
  args: readonly string[],
  flags: OpenFlags,
  session: Session,
  isWanted?: (name: string) => boolean,
): Promise<LoadedObjects> {
  const all = [...args, ...(flags.against ?? [])];
  requireInputs(all, session);
  if ([...all, flags.srdf, flags.states].filter((file) => file === STDIN).length > 1)
    throw new OptionError('-: stdin is one input, and comes twice');
  const loading = loadingOf(all, session, isWanted);
  const loaded = await loadInputs(args, loading, flags, session);
  const others = flags.against && (await loadInputs(flags.against, loading, flags, session));
  const isIncomplete = saySkipped(skippedOf(loaded, others), flags.strict ?? false, session);
  if (others && loaded.objects.length > 0 && others.objects.length > 0)
    requireOneUnitBeside([args[0], loaded.units], [(flags.against as string[])[0], others.units]);
  const objects = [...loaded.objects, ...(others?.objects ?? [])];
  const both = <K extends 'unchecked' | 'incomplete' | 'leftOut'>(key: K): Inputs[K] =>
    [...loaded[key], ...(others?.[key] ?? [])] as Inputs[K];
  const [unread, incomplete, leftOut] = [both('unchecked'), both('incomplete'), both('leftOut')];
  const { incomplete: allow = [], groups } = { ...loaded.rules, ...others?.rules };
  const covered = cover(
    { made: objects.length, incomplete, leftOut, unread },
    {
      ...{ allow: [...allow, ...(flags.allowIncomplete ?? [])], groups },
      ...(flags.allowUnmatched && { onUnmatched: (problem: string) => session.log.warn(problem) }),
      // An allowance may be about the objects that nobody wants.
      ...(isWanted && { onUnmatched() {} }),
    },
  );
  if (objects.length === 0 && covered.failures.length > 0) throw new InputError(covered.failures[0].problem);
  const lost = incomplete.filter(({ isPart }) => !isPart);
  const gone = [...unread, ...lost.map(({ name, file, text }) => ({ names: [name], problem: `${file}: ${text}` }))];
  if (!isWanted) sayUnchecked(covered, leftOut, session);
  return { loaded, others, objects, covered, leftOut, gone, isIncomplete };
}

/**
 * Refuses less than two objects.
 *
 * @throws InputError of one line, which names what is not there
 */
export function requirePair(name: string, { objects, covered, leftOut }: LoadedObjects): void {
  if (objects.length >= 2) return;
  const count = objects.length === 1 ? '1 object' : 'no object';
  throw new InputError([`${name}: ${count}, and pairs take two or more`, ...notThere(covered, leftOut)].join('; '));
}

/** Puts robots where they are, and says what is asked of all. */
export async function openScene(
  { loaded, others, objects, covered, leftOut, gone, isIncomplete }: LoadedObjects,
  flags: OpenFlags,
  session: Session,
): Promise<OpenedScene> {
  const absent = gone.flatMap(({ names }) => names);
  const robots = [...loaded.robots, ...(others?.robots ?? [])];
  const robot = await moveRobots(robots, objects, new Set(absent), flags, session);
  if (loaded.frames && others?.frames) throw new OptionError('frames: two scene files have some; one may');
  const within = new Map([...loaded.within, ...(others?.within ?? [])]);
  return {
    ...{ objects, covered, leftOut, isIncomplete, robot },
    asked: askedOf(loaded, others, robot, absent, flags, session),
    frames: loaded.frames ?? others?.frames ?? robot?.frames ?? null,
    ways: {
      between: loaded.between ?? others?.between ?? 'screw',
      // All of an instance goes as one: about its origin.
      about: (name) => originIn(within.get(name)),
    },
    movable: {
      members: membersOf([loaded, ...(others ? [others] : [])]),
      within,
      absent: new Set([...absent, ...leftOut.map(({ name }) => name)]),
      deforming: new Map([...loaded.deforming, ...(others?.deforming ?? [])]),
    },
    facts: { ...together(loaded, others), ...factsOf(covered) },
  };
}

/** The origin of an instance in the frame of one of its objects. */
function originIn(within: Pose | undefined): number[] | undefined {
  if (!within) return undefined;
  const [x, y, z] = [within[3], within[7], within[11]];
  return [0, 1, 2].map((k) => -(within[k] * x + within[4 + k] * y + within[8 + k] * z));
}

/** Files of folders that are left out on both sides, by their endings. */
function skippedOf(a: Inputs, b: Inputs | undefined): Map<string, number> {
  const counts = new Map(a.skipped);
  for (const [ending, count] of b?.skipped ?? []) counts.set(ending, (counts.get(ending) ?? 0) + count);
  return counts;
}

/** What is asked of the objects of both sides. */
function askedOf(
  loaded: Inputs,
  others: Inputs | undefined,
  robot: RobotScene | null,
  absent: string[],
  flags: OpenFlags,
  session: Session,
): SceneOptions {
  const rules = { ...loaded.rules, ...others?.rules };
  const allow = [...(rules.allow ?? []), ...(flags.allow ?? []), ...(robot?.allow ?? [])];
  return {
    rules: { ...rules, allow },
    absent,
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...solidOptionsOf(flags),
    ...(flags.allowUnmatched && { onUnmatched: (problem: string) => session.log.warn(problem) }),
    ...(loaded.still.size > 0 && { still: loaded.still }),
    ...(others && { against: new Set(others.objects.map(({ name }) => name)) }),
  };
}

/** Who a frame may name: instances, and what they were split into. */
function membersOf(inputs: readonly Inputs[]): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const { objects } of inputs) for (const { name } of objects) members.set(name, [name]);
  for (const input of inputs) for (const [name, own] of input.members) members.set(name, own);
  return members;
}

/** What a summary says of elements. */
const factsOf = ({ coverage, allowed }: Covered): Pick<Facts, 'unchecked' | 'coverage' | 'incomplete'> => ({
  ...{ unchecked: coverage.unchecked, coverage },
  ...(allowed.length > 0 && { incomplete: allowed }),
});

/** What was done to the files of both sides. */
function together(
  a: Inputs,
  b: Inputs | undefined,
): Pick<Facts, 'units' | 'baked' | 'converted' | 'unitless' | 'skipped'> {
  const sum = (key: 'baked' | 'converted' | 'unitless'): number => a[key] + (b?.[key] ?? 0);
  return {
    units: a.units,
    baked: sum('baked'),
    converted: sum('converted'),
    unitless: sum('unitless'),
    skipped: [...skippedOf(a, b).values()].reduce((all, count) => all + count, 0),
  };
}
