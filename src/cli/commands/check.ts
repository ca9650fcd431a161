/** `gicollide check`: do two assets touch? */
import { type Command, Option } from 'commander';
import { OptionError } from '../../math/errors.ts';
import type { Pose } from '../../math/pose.ts';
import { type CheckOptions, isAnsweredByTiles } from '../../pair/options.ts';
import { openPair } from '../../pair/pair.ts';
import type { Asset } from '../../query/representation.ts';
import { FAILING } from '../../report/levels.ts';
import { loadKinds, representationOf } from '../../representations/registry.ts';
import type { SceneObject } from '../../scene/report.ts';
import {
  addName,
  DEVICES,
  type DeviceName,
  type PoseOptions,
  parseJobs,
  parseLength,
  parseNumber,
  parseNumbers,
  parsePositive,
  parseWhole,
  poseOf,
} from '../arguments.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { type Input, openInput } from '../file-source.ts';
import { isSameFile, print, STDIN } from '../files.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import { nameOf, requireInputs, type Session } from '../inputs.ts';
import type { MotionFlags } from '../motion-check.ts';
import { type Asker, openImages } from '../on-demand.ts';
import { addQueueOptions, openQueueOf, type QueueFlags } from '../queue/queue-flags.ts';
import { lineOf, type Style } from '../report-lines.ts';
import { addScenePairOptions, type ScenePairFlags } from '../scene-pair-flags.ts';
import { loadAsset, prepareFor } from '../session.ts';
import { addSolidOptions, type SolidFlags, solidOptionsOf } from '../solid-flags.ts';

interface CheckFlags extends PoseOptions, SolidFlags, ReportFlags, ScenePairFlags, MotionFlags, QueueFlags {
  finding?: string;
  poses?: string;
  jobs?: number;
  device?: DeviceName;
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
  subdivision?: 'octants' | 'slices';
  time?: number;
  axes?: number;
  source?: boolean;
  expect: 'clear' | 'contact';
  exactDepth?: boolean;
  json?: boolean;
}

const HELP = `
clear: the stored surfaces share no point, proved. contact: they share one; touching counts.
undecided: --level or --budget ended the search, the distance is within its rounding of --clearance, --source of cubes
that touch, or F-reps that touch or come closer than --resolution tells.
One object wholly inside another does not touch it, but for F-reps: they are solids, their insides collide too.
--solid auto says what closed meshes and F-reps are beside their surfaces' verdict: clear, near, touch, overlap, inside or
same; of F-reps what is proved, else contact with the reason.
--patches joins the contacts: faces on faces to areas, segments to curves. --json adds four points of each, and outlines.
--axes changes how long a check takes; its verdict, only where --level ends it.
--motion answers for all of a motion (docs/motion.md): clear at all times, proved; or when the two first touch.
Exit code 0: the expected verdict; 1: the other one; 2: nothing was decided, stderr says why; 3: undecided or a cut list.

  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 1.5,0,0
  clear  out/bunny.tiff  out/blob.tiff  (1 bound test, 0 triangle tests, 0.03 ms)`;

export function defineCheck(command: Command, session: (command: Command) => Session): void {
  const point = parseNumbers(3);
  const axis = parseNumbers(4);
  const matrix = parseNumbers(16);
  addSolidOptions(addName(command), 'off unless given', 'with --solid, in place of --expect')
    .option('--pose-a <m>', '16 numbers, row-major 4x4 rigid transform', matrix)
    .option('--pose-b <m>', 'likewise, of b', matrix)
    .option('--translate-a <x,y,z>', 'shift a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'shift b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'turn a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'turn b likewise', axis)
    .option(
      '--poses <file>',
      'many poses of b in the frame of a: {"queries":[{"T":[16 numbers]}]}, an array a line, or .f64; - is stdin',
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
    .option(
      '--motion <file>',
      'when the two first touch while they move (.motion.json, docs/motion.md): apart until the first time, in contact at the second',
    )
    .option(
      '--time-resolution <part>',
      'with --motion: how close the two times come, a part of all of it; 2^-20 unless given',
      parsePositive,
    )
    .option('--all-intervals', 'with --motion: all times in contact, not only the first')
    .option('--summary', 'with --poses: a last line, how many of them had which verdict')
    .option('--all', 'every contact, not only the first')
    .option('--max-contacts <n>', 'the longest list of contacts', parseWhole(1), 10_000)
    .option('--contact-points', 'where each listed pair touches, and a normal')
    .option('--patches', 'all that the two have in common, as areas, curves and points; implies --all')
    .option('--clearance <len>', 'contact also when closer than, or as close as, this', parseLength)
    .option('--distance', 'the least distance, with witness points')
    .option(
      '--budget <ms>',
      'the best answer within the time: undecided comes with bounds of the distance',
      parseLength,
    )
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
        '--subdivision <order>',
        'of two F-reps: octants halves all axes in turns; slices x and y, then z, as the seed paper does, and is slower',
      ).choices(['octants', 'slices']),
    )
    .option(
      '--time <t>',
      'F-reps that depend on time as they are at t; at the first of their times unless given',
      parseNumber,
    )
    .option('--axes <n>', 'of two k-DOP trees: test a pair of nodes on n axes at most, not on all', parseWhole(1))
    .option('--source', 'speak of the source meshes: needs assets with a tolerance')
    .addOption(
      new Option('--expect <verdict>', 'which verdict exits with 0').choices(['clear', 'contact']).default('clear'),
    )
    .option('--exact-depth', 'with --solid: depths to a millionth of their size, not to a hundredth')
    .option('--json', 'the report as JSON, one line a pose, with its number from 0')
    .option(
      '--finding <file#id>',
      'ask again what scene or check printed with --json: the two, where they stood, as it asked',
    );
  addQueueOptions(addScenePairOptions(addReportOptions(command)))
    .addHelpText('after', HELP)
    .action(async (a: string | undefined, b: string | undefined, flags: CheckFlags, command: Command) => {
      process.exitCode = await runCheck(a, b, flags, session(command));
    });
}

/** A check of one pose, as it is asked. */
interface Question {
  /** Whether the two are files, by their names. */
  isOfFiles: boolean;
  pair: Asker;
  options: CheckOptions;
  poseA: Pose;
  poseB: Pose;
}

async function runCheck(
  fileA: string | undefined,
  fileB: string | undefined,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  if (flags.motion !== undefined || flags.timeResolution !== undefined || flags.allIntervals)
    (await import('../motion-check.ts')).requireMotion(flags);
  requireScene(flags);
  if (flags.finding !== undefined) return checkFinding(flags.finding, fileA, flags, session);
  for (const [name, file] of Object.entries({ a: fileA, b: fileB }))
    if (file === undefined) throw new OptionError(`missing required argument '${name}'`);
  if (flags.scene) return checkScene(flags.scene, [fileA!, fileB!], flags, session);
  if (flags.motion !== undefined) return checkMotion([fileA!, fileB!], flags.motion, flags, session);
  return checkFiles(fileA!, fileB!, flags, session);
}

async function checkFiles(inputA: string, inputB: string, flags: CheckFlags, session: Session): Promise<number> {
  requireInputs([inputA, inputB], session);
  const [fileA, fileB] = [nameOf(inputA, session), nameOf(inputB, session)];
  if (flags.poses === STDIN && [inputA, inputB].includes(STDIN))
    throw new OptionError('--poses -: stdin is an asset already');
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags, [fileA, fileB]);
  requireOnePose(flags);
  const own = { '--budget': flags.budget, '--jobs': flags.jobs, '--device': flags.device };
  const queue = await openQueueOf(flags, own, session);
  const poseA = poseOf(flags, 'A');
  const poseB = poseOf(flags, 'B');
  // Solids of other kinds are asked by trees of their triangles.
  if (flags.solid !== undefined && flags.solid !== 'off') await loadKinds('obb');
  await prepareFor(fileA, fileB); // the program's start, not the assets' loading
  const options: CheckOptions = { ...optionsOf(flags), fileA, fileB };
  // A pipe gives its bytes once: a file with itself is one input.
  const a = openInput(inputA, session.global);
  const b = isSameFile(inputA, inputB) ? a : openInput(inputB, session.global);
  const pair =
    (!queue && isAnsweredByTiles(options) && (await openImages(a, b, session))) ||
    (await loadPair(a, b, flags.source ?? false, session));
  try {
    if (flags.poses === undefined) return await tell({ isOfFiles: true, pair, options, poseA, poseB }, flags);
    const { answerPoses } = await import('../many-poses.ts');
    const { poses, summary = false, jobs, device = 'cpu' } = flags;
    const others = queue && (await import('../queue/poses-run.ts')).posesOnQueue(queue);
    return await answerPoses(poses, pair, options, styleOf(flags), summary, jobs, device, others, session);
  } finally {
    pair.close();
  }
}

/** Asks when two files first touch while they move. */
async function checkMotion(
  inputs: readonly [string, string],
  motion: string,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  requireInputs(inputs, session);
  if (motion === STDIN && inputs.includes(STDIN)) throw new OptionError('--motion -: stdin is an asset already');
  const files: [string, string] = [nameOf(inputs[0], session), nameOf(inputs[1], session)];
  const { answerMotion, motionsOf } = await import('../motion-check.ts');
  const motions = await motionsOf(motion, session);
  await prepareFor(...files); // the program's start, not the assets' loading
  const start = performance.now();
  const a = openInput(inputs[0], session.global);
  const b = isSameFile(...inputs) ? a : openInput(inputs[1], session.global);
  const { asset } = await loadAsset(a, session);
  const other = b === a ? asset : (await loadAsset(b, session)).asset;
  return answerMotion({ files, a: asset, b: other, loadMs: performance.now() - start }, motions, flags);
}

/** Asks again what a scene's finding was found by; options that are given here count before its own. */
async function checkFinding(
  place: string,
  other: string | undefined,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  if (other !== undefined) throw new OptionError('--finding names both objects: leave out a and b');
  const pose = POSE_FLAGS.find((key) => flags[key] !== undefined);
  if (pose) throw new OptionError(`--finding: the finding says where both stand: leave out ${flagOf(pose)}`);
  if (flags.poses !== undefined) throw new OptionError('--finding: of one pose; leave out --poses');
  if (flags.scene) throw new OptionError('--finding: the finding says of what scene it is: leave out --scene');
  await loadKinds();
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags);
  const { openFinding } = await import('../findings/finding-pair.ts');
  const found = await openFinding(place, session);
  if ('fileA' in found) {
    const { fileA, fileB, asked, poseA, poseB } = found;
    return checkFiles(fileA, fileB, { ...flags, ...(asked as Partial<CheckFlags>), poseA, poseB }, session);
  }
  const { a, b, poseA, poseB, asked } = found;
  const { clearance, tolerance, touchGap, solid } = asked;
  const ofSolids = { solid, tolerance, touchGap, failOn: FAILING };
  const own: CheckFlags = { ...(clearance > 0 && { clearance }), ...(solid !== 'off' && ofSolids), ...flags };
  return checkObjects([a, b], [poseA, poseB], own);
}

/** Asks about two objects of a scene, where that has them unless a pose is given. */
async function checkScene(
  files: readonly string[],
  names: readonly [string, string],
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  if (flags.poses !== undefined) throw new OptionError('--scene: of one pose; leave out --poses');
  requireOnePose(flags);
  await loadKinds();
  const isMoved = (side: 'A' | 'B'): boolean =>
    POSE_FLAGS.some((key) => key.endsWith(side) && flags[key] !== undefined);
  const given = (['A', 'B'] as const).map((side) => (isMoved(side) ? poseOf(flags, side) : undefined));
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags, files);
  const { openScenePair } = await import('../scene-pair.ts');
  const [a, b] = await openScenePair(files, names, flags, session);
  return checkObjects([a, b], [given[0] ?? a.pose!, given[1] ?? b.pose!], flags);
}

/** Asks about objects that stand somewhere. */
function checkObjects(
  [a, b]: readonly [SceneObject, SceneObject],
  [poseA, poseB]: readonly [Pose, Pose],
  own: CheckFlags,
): Promise<number> {
  const pair = openPair(a.asset, b.asset);
  const asker: Asker = {
    ask: (options) => pair.report({ ...options, loadMs: 0 }),
    whole: () => ({ a: a.asset, b: b.asset, loadMs: 0 }),
    close: () => {},
  };
  return tell(
    { isOfFiles: false, pair: asker, options: { ...optionsOf(own), fileA: a.name, fileB: b.name }, poseA, poseB },
    own,
  );
}

/** Prints the answer, and makes reports of it. @returns the exit code */
async function tell({ isOfFiles, pair, options, poseA, poseB }: Question, flags: CheckFlags): Promise<number> {
  const style = styleOf(flags);
  const answer = await pair.ask({ ...options, poseA, poseB });
  const files: [string, string] | false = isOfFiles && [options.fileA!, options.fileB!];
  const isTold = files && (style.json || flags.report);
  const describe = isTold && (await import('../findings/check-run.ts')).describeRun;
  const run = describe ? describe(files, [poseA, poseB], flags, pair.whole() !== null) : null;
  const report = run ? { ...answer, run } : answer;
  await print(lineOf(report, style));
  const code = exitCodeOf(report, style);
  if (flags.report) {
    const { reportRecord } = await import('../findings/report-files.ts');
    await reportRecord({ ...report, expected: code === EXIT.expected }, 'check', flags);
  }
  return code;
}

const styleOf = ({ json = false, all, patches, maxContacts, expect, failOn }: CheckFlags): Style => {
  return { json, all: all || patches || false, maxContacts, expect, failOn };
};

const POSE_FLAGS = ['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const;
const flagOf = (key: string): string => `--${key.replace(/([AB])$/, (side) => `-${side.toLowerCase()}`)}`;

/** Refuses what is of a scene where none is given. */
function requireScene({ scene, units, allowOutside, srdf, state }: CheckFlags): void {
  const given = Object.entries({ units, 'allow-outside': allowOutside, srdf, state }).find(([, value]) => value);
  if (!scene && given) throw new OptionError(`--${given[0]}: of a scene; --scene says which`);
}

/** Refuses what is of one pose where there are many, and the other way round. */
function requireOnePose(flags: CheckFlags): void {
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
  if (flags.queue !== undefined && flags.poses === undefined)
    throw new OptionError('--queue: for --poses; one pose is checked here');
  if (flags.device !== undefined && flags.poses === undefined)
    throw new OptionError('--device: for --poses; one pose is checked by the processor');
  if (flags.summary && flags.poses === undefined)
    throw new OptionError('--summary: for --poses; one pose has one line');
}

/** What these flags ask of the library. */
function optionsOf(flags: CheckFlags): CheckOptions {
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
    ...(flags.subdivision !== undefined && { subdivision: flags.subdivision }),
    ...(flags.time !== undefined && { time: flags.time }),
    source: flags.source ?? false,
    distance: flags.distance ?? false,
    contactPoints: flags.contactPoints ?? false,
    patches: flags.patches ?? false,
    ...(flags.axes !== undefined && { axes: flags.axes }),
    ...solidOptionsOf(flags),
    ...(flags.exactDepth && { exactDepth: true }),
  };
}

/** Both assets read whole. */
async function loadPair(inputA: Input, inputB: Input, source: boolean, session: Session): Promise<Asker> {
  const start = performance.now();
  const a = await loadAsset(inputA, session);
  const b = inputB === inputA ? a : await loadAsset(inputB, session);
  const loadMs = performance.now() - start;
  if (source) requireTolerances([nameOf(inputA.path, session), a.asset], [nameOf(inputB.path, session), b.asset]);
  const pair = openPair(a.asset, b.asset);
  return {
    ask: (options) => pair.report({ ...options, loadMs }),
    whole: () => ({ a: a.asset, b: b.asset, loadMs }),
    close: () => {},
  };
}

/** What records no tolerance can say nothing of its source. */
function requireTolerances(...assets: [string, Asset][]): void {
  for (const [file, asset] of assets) {
    const tolerance = representationOf(asset).tolerance(asset);
    if (tolerance === null) {
      throw new OptionError(
        `--source: ${file} records no tolerance, how far it lies from its source; without it nothing is known of that`,
      );
    }
  }
}
