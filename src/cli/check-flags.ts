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
  addSolidOptions(addName(command), 'off unless given', 'fine unless given', 'with --solid, in place of --expect');
  for (const add of [addPlaces, addPairUnits, addPoses, addMotion, addQuestions, addDepths, addAnswers]) add(command);
  return addQueueOptions(addOutside(addReading(addWeld(addScenePairOptions(addReportOptions(command))))));
}

function addPlaces(command: Command): Command {
  const point = parseNumbers(3);
  const axis = parseNumbers(4);
  return command
    .option(
      '--pose-a <m>',
      '16 numbers, row-major 4x4 rigid transform; 12 without the last row; or x,y,z,qx,qy,qz,qw',
      parsePose,
    )
    .option('--pose-b <m>', 'likewise, of b', parsePose)
    .option('--translate-a <x,y,z>', 'shift a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'shift b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'turn a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'turn b likewise', axis);
}

function addPoses(command: Command): Command {
  return command
    .option(
      '--poses <file>',
      'many poses of b in the frame of a, as --pose-b has one: an array of JSON or a row of CSV a line, whose header may name the columns (TUM, EuRoC, rostopic -p, bagpy); {"queries":[{"T":[numbers]}]}; or .f64; - is stdin',
    )
    .addOption(
      new Option('--angles <unit>', 'with --poses: the unit of roll, pitch and yaw, if the header says none').choices([
        'deg',
        'rad',
      ]),
    )
    .option(
      '--jobs <n>',
      'threads for many poses; as many as there are processors unless given, and at most four times as many',
      parseJobs(1),
    )
    .addOption(
      new Option(
        '--device <name>',
        'with --poses: what looks at them first; gpu (with the package webgpu) finds which are clear, for two k-DOP trees of up to 16 bits; auto takes it for many poses; cpu unless given',
      ).choices(DEVICES),
    )
    .option('--summary', 'with --poses: a last line, how many of them had which verdict');
}

function addMotion(command: Command): Command {
  return command
    .option(
      '--motion <file>',
      'when the two first touch while they move (.motion.json, docs/motion.md): apart until the first time, in contact at the second',
    )
    .option(
      '--time-resolution <part>',
      'with --motion: how close the two times come, a part of all of it; 2^-20 unless given',
      parsePositive,
    )
    .option('--all-intervals', 'with --motion: all times in contact, not only the first');
}

function addQuestions(command: Command): Command {
  return command
    .option('--all', 'every contact, not only the first')
    .option('--max-contacts <n>', 'the longest list of contacts', parseWhole(1), MOST_CONTACTS)
    .option('--contact-points', 'where each listed pair touches, and a normal')
    .option('--patches', 'all that the two have in common, as areas, curves and points; implies --all')
    .option('--clearance <len>', 'contact also when closer than, or as close as, this', parseLength)
    .option('--distance', 'the least distance, with witness points')
    .option(
      '--budget <ms>',
      'the best answer within the time: undecided comes with bounds of the distance',
      parseLength,
    );
}

function addDepths(command: Command): Command {
  return command
    .option('--level <n>', 'descend no deeper than this level of the trees', parseWhole(0))
    .option('--lod <m>', 'check geometry images subsampled to 2^m + 1 samples a side, numbers too', parseWhole(1))
    .option('--max-error <len>', 'check geometry images as coarse as stays within this length of them', parseLength)
    .option(
      '--resolution <a>',
      'search F-reps down to 2^a cells along an axis; what is smaller is undecided; 10 unless given',
      parseWhole(1),
    )
    .addOption(
      new Option(
        '--search <name>',
        'how two F-reps are searched. octants (default) halves all axes in turns. slices halves x and y, then z: it is slower. seed and random also print the answers of the two searches of the F-rep paper. They can miss contacts, so the verdict is undecided unless our own search proves one.',
      ).choices(['octants', 'slices', 'seed', 'random']),
    )
    .addOption(
      new Option('--subdivision <order>', 'the old name of --search').choices(['octants', 'slices']).hideHelp(),
    )
    .option('--trials <n>', 'the most start points of --search random, 1000 unless given', parseWhole(1))
    .option(
      '--time <t>',
      'F-reps that depend on time as they are at t; at the first of their times unless given',
      parseNumber,
    )
    .option('--axes <n>', 'of two k-DOP trees: test a pair of nodes on n axes at most, not on all', parseWhole(1))
    .addOption(
      new Option(
        '--engine <name>',
        "search asks by the own search of the two files' kind alone, of k-DOP trees by that of their paper",
      ).choices(['search']),
    )
    .addOption(
      new Option(
        '--bounds <name>',
        'spheres tests the bounding spheres of two geometry images alone, without slabs, as the GI-COLLIDE paper does. It is slower. The verdict is the same.',
      ).choices(['spheres']),
    );
}

function addAnswers(command: Command): Command {
  return command
    .option('--source', 'speak of the source meshes: needs assets with a tolerance')
    .addOption(
      new Option('--expect <verdict>', 'which verdict exits with 0').choices(['clear', 'contact']).default('clear'),
    )
    .option('--exact-depth', 'with --solid: depths to a millionth of their size; not with --depth')
    .option('--json', 'the report as JSON, one line a pose, with its number from 0')
    .option(
      '--finding <file#id>',
      'ask again what scene or check printed with --json: the two, where they stood, as it asked',
    );
}

export const styleOf = ({ json = false, all, patches, maxContacts, expect, failOn }: CheckFlags): Style => {
  return { json, all: all || patches || false, maxContacts, expect, failOn };
};

export const POSE_FLAGS = ['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const;
export const flagOf = (key: string): string => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Refuses scene options without a scene, and options of two files with one. */
export function requireScene({ scene, srdf, state, unitsA, unitsB }: CheckFlags): void {
  const given = Object.entries({ srdf, state }).find(([, value]) => value);
  if (!scene && given) throw new OptionError(`--${given[0]}: of a scene; --scene says which`);
  if (scene && (unitsA ?? unitsB) !== undefined)
    throw new OptionError(`--units-${unitsA === undefined ? 'b' : 'a'}: of two files; a scene takes --units`);
}

/** Refuses options of one pose for many poses, and the other way round. */
export function requireOnePose(flags: CheckFlags): void {
  if (flags.failOn && (flags.solid ?? 'off') === 'off')
    throw new OptionError('--fail-on: of classes of solids; ask for them with --solid auto');
  if (flags.poses !== undefined) {
    const clashing = POSE_FLAGS.find((key) => flags[key] !== undefined);
    if (clashing)
      throw new OptionError(`--poses gives every pose of b in the frame of a: leave out ${flagOf(clashing)}`);
    if (flags.report)
      throw new OptionError('--report: of one pose; print many with --json, and gicollide report makes files of them');
    return;
  }
  if (flags.jobs !== undefined && flags.poses === undefined)
    throw new OptionError('--jobs: for --poses; one pose is checked by one thread');
  if (flags.device !== undefined && flags.poses === undefined)
    throw new OptionError('--device: for --poses; one pose is checked by the processor');
  if (flags.angles !== undefined && flags.poses === undefined)
    throw new OptionError('--angles: for --poses; --pose-a and --pose-b take no roll, pitch and yaw');
  if (flags.summary && flags.poses === undefined)
    throw new OptionError('--summary: for --poses; one pose has one line');
}

export function requireQueue({ queue, assets, poses }: CheckFlags): void {
  if ((queue ?? assets) !== undefined && poses === undefined)
    throw new OptionError(`--${queue === undefined ? 'assets' : 'queue'}: for --poses; all else is checked here`);
}

export function optionsOf(flags: CheckFlags): CheckOptions {
  const all = flags.all || flags.patches || false;
  return {
    all,
    maxContacts: flags.maxContacts,
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
      'a and b are names of objects of this, which may be all that gicollide scene takes; may come again; they stand where it has them, unless a pose is given',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option('--units <name>', 'of a and b, if their files record none; with --scene, as scene has it', parseUnits)
    .option('--srdf <file>', 'likewise, of a robot')
    .option('--state <list>', 'likewise');
