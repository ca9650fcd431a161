/** Parses option values: numbers, points, poses. Every error is one line that names the option. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { InputError, OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { MOST_JOBS, readShard, type Shard } from '../base/shares.ts';
import {
  compose,
  identity,
  POSE_COUNTS,
  type Pose,
  poseOfNumbers,
  rotation,
  translation,
  validatePose,
} from '../math/pose.ts';
import type { ObjParser } from '../readers/mesh-file.ts';
import { FAIL_CLASSES, type FindingClass, IFC_KEYS } from '../scene/classes.ts';
import type { Allowance, Choice, IfcChoice, IncompleteAllowance } from '../scene/rules.ts';

export const DEVICES = ['auto', 'cpu', 'gpu'] as const;
export type DeviceName = (typeof DEVICES)[number];

export const addName = (command: Command): Command =>
  command.option('--name <file>', 'name of stdin (-) in messages, headers and outputs [default: stdin]');

export const addStrict = (command: Command): Command =>
  command.option('--strict', 'exit with code 2 if a folder has files that are not inputs');

export const addWeld = (command: Command): Command =>
  command.option(
    '--weld <len>',
    'join vertices that are closer than this; verdicts are then about the joined mesh',
    parsePositive,
  );

/** How meshes are read: the curves of IFC, and the parser of OBJ. */
export const addReading = (command: Command): Command =>
  command
    .option(
      '--chord-tolerance <len>',
      "largest distance between the curves of IFC and their chords, in the file's unit or with its own, such as 2mm [default: 1mm, or 32 chords a circle if that is finer]",
      parseChord,
    )
    .addOption(
      new Option(
        '--parser <name>',
        'parser of OBJ files; results are the same. auto: obj-file-parser up to 32 KiB, then the faster scanner [default: auto]',
      ).choices(['auto', 'obj-file-parser', 'scanner'] satisfies ObjParser[]),
    );

/** The reader knows the units. */
function parseChord(text: string): string {
  const [, digits = ''] = /^([\d.]+(?:e[-+]?\d+)?)\s*[a-z]*$/i.exec(text.trim()) ?? [];
  if (!(Number(digits) > 0 && Number(digits) < Infinity))
    throw new InvalidArgumentError('Expected a length above 0, such as 0.5 or 1mm.');
  return text.trim();
}

export const addOutside = (command: Command): Command =>
  command.option('--allow-outside', 'allow inputs to name files outside of their folder');

/** Text below the help of a command: `--help` shows the examples, `--help-all` the notes, too. */
export const notes =
  (text: string, examples = '') =>
  ({ command }: { command: Command }): string => {
    const isWhole = examples === '' || command.optsWithGlobals<{ helpAll?: boolean }>().helpAll;
    return `\n${[...(isWhole ? [text] : []), ...(examples === '' ? [] : [examples])].join('\n\n')}`;
  };

/** Returns the options given on the command line: flags by their names in the library. */
export function givenOptions(command: Command): Map<string, string> {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  return new Map(given.map((option) => [option.attributeName(), option.long ?? option.flags]));
}

export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number.');
  return value;
}

export function parsePositive(text: string): number {
  const value = parseNumber(text);
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function parseLength(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && Number.isFinite(value)))
    throw new InvalidArgumentError('Expected a number from 0, in the unit of the assets.');
  return value;
}

export function parseWhole(least: number): (text: string) => number {
  return (text) => {
    const value = parseNumber(text);
    if (!Number.isInteger(value) || value < least) {
      throw new InvalidArgumentError(`Expected a whole number from ${least}.`);
    }
    return value;
  };
}

export interface SampleFlag {
  states: number;
  seed: number;
}

const MOST_STATES = 10_000_000;

/** Parses a number of states, and a seed unless it is 1. */
export function parseSample(text: string): SampleFlag {
  const [, first, second = '1'] = /^(\d+)(?:,(\d+))?$/.exec(text.trim()) ?? [];
  const [states, seed] = [Number(first), Number(second)];
  if (!(states >= 1 && states <= MOST_STATES && seed < 2 ** 32))
    throw new InvalidArgumentError(`Expected 1 to ${MOST_STATES} states: n, or n,seed.`);
  return { states, seed };
}

export function addPackage(text: string, known: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const [, name, folder] = /^([^=/]+)=(.+)$/.exec(text) ?? [];
  if (!folder) throw new InvalidArgumentError('Expected a name and a folder: name=dir.');
  if (known.has(name)) throw new InvalidArgumentError(`Package ${printable(name)} has a folder already.`);
  return new Map([...known, [name, folder]]);
}

export function addAllowance(text: string, known: readonly Allowance[] = []): Allowance[] {
  const sides = choicesOf(text);
  if (sides.length !== 2) throw new InvalidArgumentError('Expected two names or patterns: a,b.');
  return [...known, { a: sides[0], b: sides[1], reason: '--allow' }];
}

const IFC = 'ifc:';

/** Parses one choice of objects: a name, a pattern, a group, or `ifc:class=IfcPipe*,storey=L2`. */
function addChoice(text: string, known: readonly Choice[] = []): Choice[] {
  // A name may have commas.
  const found = text.trim().startsWith(IFC) ? choicesOf(text) : [text];
  if (found.length !== 1 || text.trim() === '')
    throw new InvalidArgumentError(`Expected a name, a pattern, a group, or ${IFC}class=IfcPipe*,storey=L2.`);
  return [...known, found[0]];
}

/** Splits at commas. What follows `ifc:` as key=value belongs to it. */
function choicesOf(text: string): Choice[] {
  const choices: Choice[] = [];
  for (const part of text.split(',').map((side) => side.trim())) {
    const last = choices.at(-1);
    const isFirst = part.startsWith(IFC);
    const [, key, value] = /^([^=]*)=(.*)$/.exec(isFirst ? part.slice(IFC.length) : part) ?? [];
    if (!isFirst && (typeof last !== 'object' || key === undefined)) {
      if (part === '') throw new InvalidArgumentError('Expected names or patterns, found an empty one.');
      choices.push(part);
      continue;
    }
    const own: IfcChoice['ifc'] = isFirst ? {} : (last as IfcChoice).ifc;
    const known = IFC_KEYS.find((name) => name === key);
    if (!known || !value || own[known] !== undefined)
      throw new InvalidArgumentError(
        `Expected ${IFC_KEYS.map((name) => `${name}=`).join(', ')} once each, with a pattern, found ${printable(part)}.`,
      );
    own[known] = value;
    if (isFirst) choices.push({ ifc: own });
  }
  return choices;
}

function addClasses(text: string, known: readonly string[] = []): string[] {
  const classes = text.split(',').map((name) => name.trim());
  if (classes.includes('')) throw new InvalidArgumentError('Expected classes of IFC, such as IfcSpace.');
  return [...known, ...classes];
}

export type IfcRelations = 'allow' | 'check';

/** Options about elements of IFC, of the commands that open scenes. */
export const addIfcOptions = (command: Command): Command =>
  command
    .option(
      '--a <what>',
      'check only pairs of one of these objects and one of --b: a name, a pattern, a group of the scene file, or ifc:class=IfcPipe*,storey=L2 (class, type, storey, material); repeatable',
      addChoice,
    )
    .option('--b <what>', 'other side of these pairs; repeatable [default: all objects]', addChoice)
    .option(
      '--include <class>',
      'include classes of IFC that are left out by rule: IfcSpace, IfcSite, Clearance, ...; allows wildcards and commas; repeatable',
      addClasses,
    )
    .addOption(
      new Option(
        '--ifc-relations <what>',
        'elements of IFC that belong together (a whole and its parts, a wall and its projections, an element and the fillings of its openings). allow: no findings; check: findings as for others [default: allow]',
      ).choices(['allow', 'check']),
    );

export const addExclude = (command: Command): Command =>
  command.option(
    '--exclude <pattern>',
    'leave out objects whose name, or a part of it between slashes, matches: UCX_*, *_LOD[1-9]; repeatable',
    (text: string, known: readonly string[] = []): string[] => {
      if (text.trim() === '') throw new InvalidArgumentError('Expected a name or a pattern.');
      return [...known, text];
    },
  );

export const addIncomplete = (command: Command): Command =>
  command.option(
    '--allow-incomplete <pattern>',
    'allow elements with these names to be incomplete (a name or a pattern); repeatable',
    (text: string, known: readonly IncompleteAllowance[] = []): IncompleteAllowance[] => {
      return [...known, ...addChoice(text).map((a) => ({ a, reason: '--allow-incomplete' }))];
    },
  );

export function parseJobs(least: number): (text: string) => number {
  const parse = parseWhole(least);
  return (text) => {
    const value = parse(text);
    if (value > MOST_JOBS) throw new InvalidArgumentError(`Expected at most ${MOST_JOBS}.`);
    return value;
  };
}

export function parseShard(text: string): Shard {
  try {
    return readShard(text);
  } catch (error) {
    if (error instanceof InputError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** Parses `count` numbers between commas or blanks; brackets around them are allowed. */
export function parseNumbers(count: number): (text: string) => number[] {
  return (text) => {
    const numbers = numbersOf(text);
    if (numbers.length !== count || !numbers.every(Number.isFinite)) {
      throw new InvalidArgumentError(`Expected ${count} numbers between commas.`);
    }
    return numbers;
  };
}

const numbersOf = (text: string): number[] =>
  text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);

/** Parses a matrix, or a position and a quaternion. */
export function parsePose(text: string): Pose {
  const numbers = numbersOf(text);
  const isPose = numbers.every(Number.isFinite) && POSE_COUNTS.includes(numbers.length);
  if (!isPose)
    throw new InvalidArgumentError('Expected 12 or 16 numbers of a matrix, or x,y,z,qx,qy,qz,qw, between commas.');
  try {
    return poseOfNumbers(numbers) as Pose;
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}

export interface PoseOptions {
  poseA?: Pose;
  poseB?: Pose;
  translateA?: number[];
  translateB?: number[];
  rotateA?: number[];
  rotateB?: number[];
}

/** Returns the pose of one asset: a whole matrix, or a rotation followed by a translation. */
export function poseOf(options: PoseOptions, side: 'A' | 'B'): Pose {
  const matrix = options[`pose${side}`];
  const shift = options[`translate${side}`];
  const turn = options[`rotate${side}`];
  const name = side.toLowerCase();
  if (matrix && (shift || turn)) {
    throw new OptionError(`--pose-${name} is a whole pose: leave out --translate-${name} and --rotate-${name}`);
  }
  if (matrix) return validatePose(matrix, `--pose-${name}`);
  let pose = identity();
  if (turn) pose = rotation(turn[0], turn[1], turn[2], turn[3]);
  if (shift) pose = compose(translation(shift[0], shift[1], shift[2]), pose);
  return pose;
}

export function parseClasses(text: string): FindingClass[] {
  if (text === 'none') return [];
  const classes = text.split(',').map((name) => name.trim());
  const unknown = classes.find((name) => !(FAIL_CLASSES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new OptionError(`--fail-on: expected ${FAIL_CLASSES.join(', ')} or none, found ${printable(unknown)}`);
  return classes as FindingClass[];
}
