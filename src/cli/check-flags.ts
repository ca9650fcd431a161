/**
 * Defines the options of `gicollide check`, for two files and for a scene, and converts them to the
 * library's.
 */
import { type Command, Option } from 'commander';
import { OptionError } from '../base/errors.ts';
import type { CheckOptions } from '../engine/options.ts';
import {
  addName,
  addOutside,
  addReading,
  addWeld,
  DEVICES,
  type DeviceName,
  type PoseOptions,
  parseJobs,
  parseLength,
  parseNumber,
  parseNumbers,
  parsePose,
  parsePositive,
  parseWhole,
} from './arguments.ts';
import { addReportOptions, type ReportFlags } from './findings/report-flags.ts';
import { addQueueOptions, addSolidOptions, type QueueFlags, type SolidFlags, solidOptionsOf } from './flags.ts';
import type { Style } from './report-lines.ts';
import type { GlobalOptions } from './terminal.ts';
import { addPairUnits, type PairUnits, parseUnits } from './units.ts';

export interface MotionFlags {
  motion?: string;
  timeResolution?: number;
  allIntervals?: boolean;
}

/** Default length of a list of contacts. */
export const MOST_CONTACTS = 10_000;

export interface CheckFlags
  extends PoseOptions,
    PairUnits,
    SolidFlags,
    ReportFlags,
    ScenePairFlags,
    MotionFlags,
    QueueFlags {
  finding?: string;
  poses?: string;
  jobs?: number;
  device?: DeviceName;
  angles?: 'deg' | 'rad';
  summary?: boolean;
  all?: boolean;
  maxContacts: number;
  clearance?: number;
  distance?: boolean;
  budget?: number;
  contactPoints?: boolean;
  patches?: boolean;
  level?: number;
  lod?: number;
  maxError?: number;
  resolution?: number;
  search?: 'octants' | 'slices' | 'seed' | 'random';
  subdivision?: 'octants' | 'slices';
  trials?: number;
  time?: number;
  axes?: number;
  engine?: 'search';
  bounds?: 'spheres';
  source?: boolean;
  expect: 'clear' | 'contact';
  exactDepth?: boolean;
  json?: boolean;
}

export function addCheckOptions(command: Command): Command {
  addSolidOptions(addName(command), 'off', 'fine', '; needs --solid and replaces --expect');
  for (const add of [addPlaces, addPairUnits, addPoses, addMotion, addQuestions, addDepths, addAnswers]) add(command);
  return addQueueOptions(addOutside(addReading(addWeld(addScenePairOptions(addReportOptions(command))))));
}

function addPlaces(command: Command): Command {
  const point = parseNumbers(3);
  const axis = parseNumbers(4);
  return command
    .option(
      '--pose-a <m>',
      'pose of a: 16 numbers (row-major 4x4 rigid transform), 12 without the last row, or x,y,z,qx,qy,qz,qw',
      parsePose,
    )
    .option('--pose-b <m>', 'pose of b, in the same form', parsePose)
    .option('--translate-a <x,y,z>', 'move a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'move b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'rotate a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'rotate b about an axis through the origin', axis);
}

function addPoses(command: Command): Command {
  return command
    .option(
      '--poses <file>',
      'check many poses of b in the frame of a, one a line: JSON arrays, or CSV with or without a header (TUM, EuRoC, rostopic -p, bagpy); also {"queries":[{"T":[numbers]}]} and .f64; - is stdin',
    )
    .addOption(
      new Option('--angles <unit>', 'with --poses: unit of roll, pitch and yaw, if the header has none').choices([
        'deg',
        'rad',
      ]),
    )
    .option(
      '--jobs <n>',
      'with --poses: number of threads, up to four times the processors [default: number of processors]',
      parseJobs(1),
    )
    .addOption(
      new Option(
        '--device <name>',
        'with --poses: device that finds clear poses first. gpu needs the package webgpu and two k-DOP trees of up to 16 bits; auto uses it for many poses [default: cpu]',
      ).choices(DEVICES),
    )
    .option('--summary', 'with --poses and --json: count the verdicts in a last line, as text always does');
}

function addMotion(command: Command): Command {
  return command
    .option(
      '--motion <file>',
      'find the first contact of two moving objects (.motion.json, docs/motion.md): apart until the first time, in contact at the second',
    )
    .option(
      '--time-resolution <part>',
      'with --motion: distance of the two times, as a part of the whole [default: 2^-20]',
      parsePositive,
    )
    .option('--all-intervals', 'with --motion: list all intervals of contact, not only the first');
}

function addQuestions(command: Command): Command {
  return command
    .option('--all', 'list every contact, not only the first')
    .option('--max-contacts <n>', 'maximum length of the list of contacts', parseWhole(1), MOST_CONTACTS)
    .option('--contact-points', 'add a segment and a normal to each listed pair')
    .option('--patches', 'join the contacts to areas, curves and points; implies --all')
    .option('--clearance <len>', 'count distances up to this as contact', parseLength)
    .option('--distance', 'find the least distance, with its two points')
    .option(
      '--budget <ms>',
      'give the best answer within this time; undecided comes with bounds of the distance',
      parseLength,
    );
}

function addDepths(command: Command): Command {
  return command
    .option('--level <n>', 'search down to this level of the trees', parseWhole(0))
    .option('--lod <m>', 'check geometry images with 2^m + 1 samples a side; triangle numbers follow', parseWhole(1))
    .option(
      '--max-error <len>',
      'check the coarsest geometry images within this distance of the stored ones',
      parseLength,
    )
    .option(
      '--resolution <a>',
      'search F-reps down to 2^a cells along an axis; closer objects are undecided [default: 10]',
      parseWhole(1),
    )
    .addOption(
      new Option(
        '--search <name>',
        "search of two F-reps. octants halves all axes in turns. slices halves x and y, then z, and is slower. seed and random also print the answers of the F-rep paper's two searches. These can miss contacts, so the verdict is undecided unless our own search proves one [default: octants]",
      ).choices(['octants', 'slices', 'seed', 'random']),
    )
    .addOption(
      new Option('--subdivision <order>', 'the old name of --search').choices(['octants', 'slices']).hideHelp(),
    )
    .option('--trials <n>', 'with --search random: number of start points [default: 1000]', parseWhole(1))
    .option('--time <t>', 'time of F-reps that depend on it [default: their first time]', parseNumber)
    .option('--axes <n>', 'test pairs of k-DOP nodes on at most n axes', parseWhole(1))
    .addOption(
      new Option(
        '--engine <name>',
        "search uses only the search of the two files' kind; for k-DOP trees, that of their paper",
      ).choices(['search']),
    )
    .addOption(
      new Option(
        '--bounds <name>',
        'spheres tests only the bounding spheres of two geometry images, without slabs, as the GI-COLLIDE paper does. It is slower. The verdict is the same',
      ).choices(['spheres']),
    );
}

function addAnswers(command: Command): Command {
  return command
    .option('--source', 'check the source meshes instead of the stored surfaces; needs assets with a tolerance')
    .addOption(
      new Option('--expect <verdict>', 'verdict with exit code 0').choices(['clear', 'contact']).default('clear'),
    )
    .option('--exact-depth', 'with --solid: measure depths to a millionth; not with --depth')
    .option('--json', 'print the report as JSON; with --poses one line a pose, numbered from 0')
    .option('--finding <file#id>', 'repeat the check of a finding that scene or check printed with --json');
}

/** @param units unit of the lengths that are printed */
export function styleOf(
  { json = false, all, patches, failOn, ...flags }: CheckFlags,
  { verbose = false, quiet = false }: GlobalOptions,
  units: string | null,
): Style {
  const { maxContacts, expect, clearance, level, budget, source, resolution } = flags;
  return {
    ...{ json, all: all || patches || false, maxContacts, expect, failOn, units, verbose, quiet },
    ...(clearance !== undefined && { clearance }),
    ...(level !== undefined && { level }),
    ...(budget !== undefined && { budget }),
    ...(source && { source }),
    ...(resolution !== undefined && { resolution }),
  };
}

export const POSE_FLAGS = ['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const;
const OF_SOLIDS = ['failOn', 'tolerance', 'touchGap', 'depth', 'exactDepth'] as const;
export const flagOf = (key: string): string => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Refuses scene options without a scene, and options of two files with one. */
export function requireScene({ scene, srdf, state, unitsA, unitsB }: CheckFlags): void {
  const given = Object.entries({ srdf, state }).find(([, value]) => value);
  if (!scene && given) throw new OptionError(`--${given[0]} needs a scene: name its file with --scene`);
  if (scene && (unitsA ?? unitsB) !== undefined)
    throw new OptionError(`--units-${unitsA === undefined ? 'b' : 'a'} is for two files: use --units for a scene`);
}

/** Refuses options of one pose for many poses, and the other way round. */
export function requireOnePose(flags: CheckFlags): void {
  const ofSolids = OF_SOLIDS.find((key) => flags[key] !== undefined);
  if (ofSolids && (flags.solid ?? 'off') === 'off')
    throw new OptionError(`${flagOf(ofSolids)} needs classes of solids: add --solid auto`);
  if (flags.poses !== undefined) {
    const clashing = POSE_FLAGS.find((key) => flags[key] !== undefined);
    if (clashing)
      throw new OptionError(`--poses gives every pose of b in the frame of a: leave out ${flagOf(clashing)}`);
    if (flags.report)
      throw new OptionError(
        '--report is for one pose: print many with --json, and make files of them with gicollide report',
      );
    return;
  }
  if (flags.jobs !== undefined && flags.poses === undefined)
    throw new OptionError('--jobs is for --poses: one pose is checked by one thread');
  if (flags.device !== undefined && flags.poses === undefined)
    throw new OptionError('--device is for --poses: one pose is checked by the processor');
  if (flags.angles !== undefined && flags.poses === undefined)
    throw new OptionError('--angles is for --poses: --pose-a and --pose-b have no roll, pitch and yaw');
  if (flags.summary && flags.poses === undefined)
    throw new OptionError('--summary is for --poses: one pose has one line');
}

export function requireQueue({ queue, assets, poses }: CheckFlags): void {
  if ((queue ?? assets) !== undefined && poses === undefined)
    throw new OptionError(`--${queue === undefined ? 'assets' : 'queue'} is for --poses: all other checks run here`);
}

export function optionsOf(flags: CheckFlags): CheckOptions {
  const all = flags.all || flags.patches || false;
  return {
    all,
    maxContacts: flags.maxContacts,
    ...(!flags.json && { witness: true }),
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...(flags.budget !== undefined && { budget: flags.budget }),
    ...(flags.level !== undefined && { level: flags.level }),
    ...(flags.lod !== undefined && { lod: flags.lod }),
    ...(flags.maxError !== undefined && { maxError: flags.maxError }),
    ...(flags.resolution !== undefined && { resolution: flags.resolution }),
    ...(flags.search !== undefined && { search: flags.search }),
    ...(flags.subdivision !== undefined && { subdivision: flags.subdivision }),
    ...(flags.trials !== undefined && { trials: flags.trials }),
    ...(flags.time !== undefined && { time: flags.time }),
    source: flags.source ?? false,
    distance: flags.distance ?? false,
    contactPoints: flags.contactPoints ?? false,
    patches: flags.patches ?? false,
    ...(flags.axes !== undefined && { axes: flags.axes }),
    ...(flags.engine !== undefined && { engine: flags.engine }),
    ...(flags.bounds !== undefined && { bounds: flags.bounds }),
    ...solidOptionsOf(flags),
    ...(flags.exactDepth && { exactDepth: true }),
  };
}

/** Options for scenes. Their implementation is loaded only for a scene. */
export interface ScenePairFlags {
  /** Options of `gicollide scene`, since all of them affect names of objects. */
  scene?: string[];
  units?: string;
  srdf?: string;
  state?: string;
}

const addScenePairOptions = (command: Command): Command =>
  command
    .option(
      '--scene <file>',
      'a and b are objects of this scene, in its poses unless you give others; accepts every input of gicollide scene; repeatable',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option(
      '--units <name>',
      'unit of a and b, if their files record none; with --scene as for gicollide scene',
      parseUnits,
    )
    .option('--srdf <file>', 'with --scene: SRDF file of a robot')
    .option('--state <list>', 'with --scene: joint values of a robot');
