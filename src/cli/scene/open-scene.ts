/** Opens a scene from command-line arguments: objects, poses, and the questions about them. */
import { InputError, OptionError } from '../../base/errors.ts';
import { Exclusion, excludedText, matches, suggestion } from '../../base/patterns.ts';
import { quoted } from '../../base/printable.ts';
import type { Pose } from '../../math/pose.ts';
import type { IfcFacts } from '../../readers/mesh-file.ts';
import { type Covered, cover, type ElementNote, type Unchecked } from '../../scene/coverage.ts';
import type { SceneObject, SceneOptions, StepsOptions } from '../../scene/records.ts';
import type { Allowance, Choice, IncompleteAllowance } from '../../scene/rules.ts';
import type { IfcRelations } from '../arguments.ts';
import { moveRobots, type SolidFlags, solidOptionsOf } from '../flags.ts';
import { STDIN } from '../inputs/name.ts';
import { requireInputs, type Session, saySkipped } from '../session.ts';
import type { Frames, Movable } from './frames.ts';
import { type InputFlags, type Inputs, loadInputs, loadingOf, requireOneUnitBeside } from './inputs.ts';
import type { Facts } from './print-scene.ts';
import { notThere, sayUnchecked } from './print-scene.ts';
import type { RobotFlags, RobotScene } from './robot.ts';

export interface OpenFlags extends InputFlags, SolidFlags, Omit<RobotFlags, 'states'> {
  against?: string[];
  allow?: Allowance[];
  allowIncomplete?: IncompleteAllowance[];
  a?: Choice[];
  b?: Choice[];
  ifcRelations?: IfcRelations;
  clearance?: number;
  strict?: boolean;
}

interface LoadedObjects {
  loaded: Inputs;
  /** The inputs of --against. */
  others: Inputs | undefined;
  /** Objects of both sides, at their files' poses. */
  objects: SceneObject[];
  covered: Covered;
  leftOut: ElementNote[];
  gone: Unchecked[];
  /** What IFC says about incomplete elements, by their names. */
  absentIfc: Map<string, IfcFacts>;
  /** True if something was left out without permission. */
  isIncomplete: boolean;
  exclusion: Exclusion;
}

export interface OpenedScene extends Pick<LoadedObjects, 'objects' | 'covered' | 'leftOut' | 'isIncomplete'> {
  asked: SceneOptions;
  frames: Frames | null;
  /** Motion of objects between frames. */
  ways: Pick<StepsOptions, 'between' | 'about'>;
  movable: Movable;
  robot: RobotScene | null;
  facts: Omit<Facts, 'seconds'>;
}

/** @throws InputError if there is no object, and an input could not be read */
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
  const exclusion = new Exclusion(flags.exclude);
  const loading = loadingOf(all, session, exclusion, isWanted);
  const loaded = await loadInputs(args, loading, flags, session);
  const others = flags.against && (await loadInputs(flags.against, loading, flags, session));
  const onUnmatched = flags.allowUnmatched && ((problem: string) => session.log.warn(problem));
  exclusion.requireMatched(onUnmatched || undefined);
  if (session.global.verbose) for (const line of exclusion.lines()) session.log.info(line);
  const isIncomplete = saySkipped(skippedOf(loaded, others), flags, session);
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
      // An allowance may match objects that are not wanted.
      ...(isWanted && { onUnmatched() {} }),
    },
  );
  if (objects.length === 0 && covered.failures.length > 0) throw new InputError(covered.failures[0].problem);
  const lost = incomplete.filter(({ isPart }) => !isPart);
  const gone = [...unread, ...lost.map(({ name, file, text }) => ({ names: [name], problem: `${file}: ${text}` }))];
  const absentIfc = new Map(lost.flatMap(({ name, ifc }) => (ifc ? [[name, ifc] as const] : [])));
  if (!isWanted) {
    sayUnchecked(covered, leftOut, session);
    const facts = [...objects.map(({ origin }) => origin?.ifc), ...absentIfc.values()];
    requireIncluded(flags, { facts, leftOut }, session);
  }
  return { loaded, others, objects, covered, leftOut, gone, absentIfc, isIncomplete, exclusion };
}

/** Every class of --include must be that of some element. */
function requireIncluded(
  { include = [], allowUnmatched }: OpenFlags,
  { facts, leftOut }: { facts: readonly (IfcFacts | undefined)[]; leftOut: readonly ElementNote[] },
  { log }: Session,
): void {
  const classes = [...new Set(facts.flatMap((own) => own?.class ?? []))];
  // The names of elements begin with their classes.
  const known = [...classes, ...leftOut.map(({ element = '' }) => element.split('/')[0])];
  for (const pattern of include) {
    if (classes.some((name) => matches(pattern.toUpperCase(), name.toUpperCase()))) continue;
    const problem = `--include: ${quoted(pattern)} is the class of no element${suggestion(pattern, known)}`;
    if (!allowUnmatched) throw new OptionError(problem);
    log.warn(problem);
  }
}

/** @throws InputError of one line that names the missing objects */
export function requirePair(name: string, { objects, covered, leftOut, exclusion }: LoadedObjects): void {
  if (objects.length >= 2) return;
  const count = objects.length === 1 ? '1 object' : 'no object';
  const few = `${name}: ${count}, and pairs take two or more`;
  throw new InputError([few, ...excludedText(exclusion.facts()), ...notThere(covered, leftOut)].join('; '));
}

export async function openScene(
  { loaded, others, objects, covered, leftOut, gone, absentIfc, isIncomplete, exclusion }: LoadedObjects,
  flags: OpenFlags,
  session: Session,
): Promise<OpenedScene> {
  const excluded = [...exclusion.names];
  const absent = [...gone.flatMap(({ names }) => names), ...excluded];
  const robots = [...loaded.robots, ...(others?.robots ?? [])];
  const robot = await moveRobots(robots, objects, new Set(absent), flags, session);
  if (loaded.frames && others?.frames) throw new OptionError('frames: two scene files have some; one may');
  const within = new Map([...loaded.within, ...(others?.within ?? [])]);
  return {
    ...{ objects, covered, leftOut, isIncomplete, robot },
    asked: { ...askedOf(loaded, others, robot, flags, session), absent, excluded, absentIfc },
    frames: loaded.frames ?? others?.frames ?? robot?.frames ?? null,
    ways: {
      between: loaded.between ?? others?.between ?? 'screw',
      // All objects of an instance move as one, about its origin.
      about: (name) => originIn(within.get(name)),
    },
    movable: {
      members: membersOf([loaded, ...(others ? [others] : [])]),
      within,
      absent: new Set([...absent, ...leftOut.map(({ name }) => name)]),
      deforming: new Map([...loaded.deforming, ...(others?.deforming ?? [])]),
    },
    facts: { ...together(loaded, others), ...exclusion.facts(), ...factsOf(covered) },
  };
}

/** Returns an instance's origin in the frame of one of its objects. */
function originIn(within: Pose | undefined): number[] | undefined {
  if (!within) return undefined;
  const [x, y, z] = [within[3], within[7], within[11]];
  return [0, 1, 2].map((k) => -(within[k] * x + within[4 + k] * y + within[8 + k] * z));
}

function skippedOf(a: Inputs, b: Inputs | undefined): Map<string, number> {
  const counts = new Map(a.skipped);
  for (const [ending, count] of b?.skipped ?? []) counts.set(ending, (counts.get(ending) ?? 0) + count);
  return counts;
}

function askedOf(
  loaded: Inputs,
  others: Inputs | undefined,
  robot: RobotScene | null,
  flags: OpenFlags,
  session: Session,
): SceneOptions {
  const rules = { ...loaded.rules, ...others?.rules };
  const allow = [...(rules.allow ?? []), ...(flags.allow ?? []), ...(robot?.allow ?? [])];
  return {
    rules: { ...rules, allow },
    ...((flags.a ?? flags.b) && { sides: { ...(flags.a && { a: flags.a }), ...(flags.b && { b: flags.b }) } }),
    ...(flags.ifcRelations !== 'check' && { related: [...loaded.related, ...(others?.related ?? [])] }),
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...solidOptionsOf(flags),
    ...(flags.allowUnmatched && { onUnmatched: (problem: string) => session.log.warn(problem) }),
    ...(loaded.still.size > 0 && { still: loaded.still }),
    ...(others && { against: new Set(others.objects.map(({ name }) => name)) }),
  };
}

/** Maps names that frames may use to the objects into which instances were split. */
function membersOf(inputs: readonly Inputs[]): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const { objects } of inputs) for (const { name } of objects) members.set(name, [name]);
  for (const input of inputs) for (const [name, own] of input.members) members.set(name, own);
  return members;
}

const factsOf = ({ coverage, allowed }: Covered): Pick<Facts, 'unchecked' | 'coverage' | 'incomplete'> => ({
  ...{ unchecked: coverage.unchecked, coverage },
  ...(allowed.length > 0 && { incomplete: allowed }),
});

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
