/** `gicollide check`: tells whether two assets touch. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { type Bounds, boundsOf } from '../../engine/bounds.ts';
import { type CheckOptions, isAnsweredByTiles } from '../../engine/options.ts';
import { openPair } from '../../engine/prepared.ts';
import type { Asset } from '../../engine/representation.ts';
import type { Pose } from '../../math/pose.ts';
import { FAILING } from '../../report/finding.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
import type { SceneObject } from '../../scene/records.ts';
import { notes, poseOf } from '../arguments.ts';
import {
  addCheckOptions,
  type CheckFlags,
  flagOf,
  optionsOf,
  POSE_FLAGS,
  requireOnePose,
  requireQueue,
  requireScene,
  styleOf,
} from '../check-flags.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { reportsWritten } from '../findings/report-flags.ts';
import { openQueueOf } from '../flags.ts';
import { prepareFor } from '../inputs/load.ts';
import { nameOf, STDIN } from '../inputs/name.ts';
import { type Asker, type InputPair, loadBoth, openBoth, openImages } from '../inputs/pair.ts';
import { lineOf } from '../report-lines.ts';
import { requireInputs, type Session } from '../session.ts';
import { begunByCode, print } from '../terminal.ts';

const NOTES = `clear: the stored surfaces share no point, which is proved. contact: they share a point; touching counts.
undecided: --level or --budget ended the search, the distance equals --clearance up to rounding, cubes touch with --source,
F-reps touch or are closer than --resolution can tell, or --search seed or random found no proof.
A mesh wholly inside another one does not touch it. F-reps are solids, so their insides collide, too.
--solid auto adds a class for closed meshes and F-reps: clear, near, touch, overlap, inside or same. The class of an F-rep is
always proved; otherwise it is contact, with the reason.
--patches joins contacts of faces to areas and of segments to curves. --json adds four points of each, and outlines.
If only one of two files records a unit, the check is refused. --units-a, --units-b or --units name the other unit.
--axes changes the time of a check. It changes the verdict only with --level.
--motion checks a whole motion (docs/motion.md): clear at all times, which is proved, or the first contact.
Exit code 0: the expected verdict; 1: the other one; 2: nothing was decided, with the reason on stderr; 3: undecided, or the
list was cut.`;

const EXAMPLES = `  $ gicollide check out/bunny.tiff out/blob.tiff --translate-b 1.5,0,0
  clear  out/bunny.tiff  out/blob.tiff
  $ gicollide check a.stl b.glb --units-a m --clearance 0.05`;

export function defineCheck(command: Command, session: (command: Command) => Session): void {
  addCheckOptions(command)
    .addHelpText('after', notes(NOTES, EXAMPLES))
    .action(async (a: string | undefined, b: string | undefined, flags: CheckFlags, command: Command) => {
      process.exitCode = await runCheck(a, b, flags, session(command));
    });
}

interface Question {
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
  requireQueue(flags);
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
    throw new OptionError('--poses -: stdin is an asset already; write the poses to a file');
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags, [fileA, fileB]);
  requireOnePose(flags);
  const own = { '--budget': flags.budget, '--jobs': flags.jobs, '--device': flags.device };
  const queue = await openQueueOf(flags, own, session);
  const poseA = poseOf(flags, 'A');
  const poseB = poseOf(flags, 'B');
  // Solids of other kinds use trees of their triangles.
  if (flags.solid !== undefined && flags.solid !== 'off') await loadKinds('obb');
  await prepareFor(fileA, fileB); // the program's start, not the assets' loading
  const options: CheckOptions = { ...optionsOf(flags), fileA, fileB };
  const both = openBoth([inputA, inputB], flags, session);
  const pair =
    (!queue && isAnsweredByTiles(options) && (await openImages(both, session))) ||
    (await loadPair(both, { isOfSources: flags.source, bounds: flags.bounds }, session));
  try {
    if (flags.poses === undefined) return await tell({ isOfFiles: true, pair, options, poseA, poseB }, flags, session);
    const { answerPoses } = await import('../poses/many-poses.ts');
    const { poses: file, summary = false, jobs, device = 'cpu', angles } = flags;
    const openOthers = queue && (await import('../queue/open-runs.ts')).posesOnQueue(queue);
    return await answerPoses(
      pair,
      { file, options, style: styleOf(flags, session.global, pair.units), summary, jobs, device, angles, openOthers },
      session,
    );
  } finally {
    pair.close();
  }
}

async function checkMotion(
  inputs: readonly [string, string],
  motion: string,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  requireInputs(inputs, session);
  if (motion === STDIN && inputs.includes(STDIN))
    throw new OptionError('--motion -: stdin is an asset already; write the motion to a file');
  const files: [string, string] = [nameOf(inputs[0], session), nameOf(inputs[1], session)];
  const { answerMotion, motionsOf } = await import('../motion-check.ts');
  const motions = await motionsOf(motion, session);
  await prepareFor(...files); // the program's start, not the assets' loading
  const start = performance.now();
  const [a, b] = await loadBoth(openBoth(inputs, flags, session), session);
  return answerMotion({ files, a, b, loadMs: performance.now() - start }, motions, flags, session.global);
}

/** Repeats the check of a scene's finding; options given here override its own. */
async function checkFinding(
  place: string,
  other: string | undefined,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  if (other !== undefined) throw new OptionError('--finding names both objects: leave out a and b');
  const pose = POSE_FLAGS.find((key) => flags[key] !== undefined);
  if (pose) throw new OptionError(`--finding: the finding has both poses: leave out ${flagOf(pose)}`);
  if (flags.poses !== undefined) throw new OptionError('--finding repeats the check of one pose: leave out --poses');
  if (flags.scene) throw new OptionError('--finding: the finding names its scene: leave out --scene');
  await loadKinds();
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags);
  const { openFinding } = await import('../findings/finding-file.ts');
  const found = await openFinding(place, session);
  if ('fileA' in found) {
    const { fileA, fileB, asked } = found;
    const places = { poseA: Float64Array.from(found.poseA), poseB: Float64Array.from(found.poseB) };
    const own = { ...session, named: found.named };
    return checkFiles(fileA, fileB, { ...flags, ...(asked as Partial<CheckFlags>), ...places }, own);
  }
  const said = (['units', 'unitsA', 'unitsB'] as const).find((key) => flags[key] !== undefined);
  if (said) throw new OptionError(`--finding: the finding has its units: leave out ${flagOf(said)}`);
  const { a, b, poseA, poseB, asked } = found;
  const { clearance, tolerance, touchGap, solid } = asked;
  const ofSolids = { solid, tolerance, touchGap, failOn: FAILING };
  const own: CheckFlags = { ...(clearance > 0 && { clearance }), ...(solid !== 'off' && ofSolids), ...flags };
  return checkObjects([a, b], [poseA, poseB], own, session);
}

/** Checks two objects of a scene, at their own poses unless a pose is given. */
async function checkScene(
  files: readonly string[],
  names: readonly [string, string],
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  if (flags.poses !== undefined) throw new OptionError('--scene checks one pose: leave out --poses');
  requireOnePose(flags);
  await loadKinds();
  const isMoved = (side: 'A' | 'B'): boolean =>
    POSE_FLAGS.some((key) => key.endsWith(side) && flags[key] !== undefined);
  const given = (['A', 'B'] as const).map((side) => (isMoved(side) ? poseOf(flags, side) : undefined));
  if (flags.report) (await import('../findings/report-files.ts')).requireReports(flags, files);
  const { openScenePair } = await import('../scene/pair.ts');
  const [a, b] = await openScenePair(files, names, flags, session);
  return checkObjects([a, b], [given[0] ?? a.pose!, given[1] ?? b.pose!], flags, session);
}

function checkObjects(
  [a, b]: readonly [SceneObject, SceneObject],
  [poseA, poseB]: readonly [Pose, Pose],
  own: CheckFlags,
  session: Session,
): Promise<number> {
  const pair = openPair(a.asset, b.asset);
  const asker: Asker = {
    ask: (options) => pair.report({ ...options, loadMs: 0 }),
    units: representationOf(a.asset).units(a.asset),
    whole: () => ({ a: a.asset, b: b.asset, loadMs: 0 }),
    close: () => {},
  };
  return tell(
    { isOfFiles: false, pair: asker, options: { ...optionsOf(own), fileA: a.name, fileB: b.name }, poseA, poseB },
    own,
    session,
  );
}

async function tell(
  { isOfFiles, pair, options, poseA, poseB }: Question,
  flags: CheckFlags,
  session: Session,
): Promise<number> {
  const style = styleOf(flags, session.global, pair.units);
  const isDetailed = options.solid !== undefined || options.contactPoints || options.patches;
  const answerers = isDetailed ? await (await import('../answerers.ts')).answerersOf(options) : {};
  const answer = await pair.ask({ ...options, ...answerers, poseA, poseB });
  const files: [string, string] | false = isOfFiles && [options.fileA!, options.fileB!];
  const isTold = files && (style.json || flags.report);
  const describe = isTold && (await import('../findings/check-run.ts')).describeRun;
  const run = describe ? describe(files, [poseA, poseB], flags, { isWhole: pair.whole() !== null }) : null;
  const report = run ? { ...answer, run } : answer;
  const code = exitCodeOf(report, style);
  const line = await lineOf(report, style);
  await print(style.json ? line : begunByCode(code, line));
  if (flags.report) {
    const { reportRecord } = await import('../findings/report-files.ts');
    await reportRecord({ ...report, expected: code === EXIT.expected }, 'check', flags);
  }
  if (style.json || style.quiet) return code;
  const hint = report.verdict === 'clear' && !report.class ? await insideHint(pair.whole(), poseA, poseB) : [];
  for (const said of [...reportsWritten(flags), ...hint]) await print(`${said}\n`);
  return code;
}

/** A hint if two surfaces are clear, but one may be inside the other, which is closed. */
async function insideHint(whole: ReturnType<Asker['whole']>, poseA: Pose, poseB: Pose): Promise<string[]> {
  if (!whole) return [];
  const [a, b] = [boundsOf(whole.a, poseA), boundsOf(whole.b, poseB)];
  const isWithin = (p: Bounds, q: Bounds): boolean => p.low.every((x, k) => q.low[k] <= x && p.high[k] <= q.high[k]);
  const [outer, inner, around] = isWithin(b, a) ? [whole.a, 'b', 'a'] : [whole.b, 'a', 'b'];
  if ((inner === 'a' && !isWithin(a, b)) || outer.representation === 'frep') return [];
  const { openReasonOf } = await import('../../solid/class-of.ts');
  return openReasonOf(outer) === null ? [`hint: ${inner} may be inside ${around}: --solid auto tells`] : [];
}

async function loadPair(
  both: InputPair,
  { isOfSources = false, bounds }: { isOfSources?: boolean | undefined; bounds?: 'spheres' | undefined },
  session: Session,
): Promise<Asker> {
  const start = performance.now();
  const [a, b] = await loadBoth(both, session, bounds && { bounds });
  const loadMs = performance.now() - start;
  if (isOfSources) requireTolerances([nameOf(both.a.path, session), a], [nameOf(both.b.path, session), b]);
  const pair = openPair(a, b);
  return {
    ask: (options) => pair.report({ ...options, loadMs }),
    units: representationOf(a).units(a),
    whole: () => ({ a, b, loadMs }),
    close: () => {},
  };
}

/** Refuses assets that record no tolerance, since they say nothing about their source. */
function requireTolerances(...assets: [string, Asset][]): void {
  for (const [file, asset] of assets) {
    const tolerance = representationOf(asset).tolerance(asset);
    if (tolerance === null) {
      throw new OptionError(
        `--source: ${file} records no tolerance, its distance from its source, so nothing can be proved about the source: build it again, or check the source`,
      );
    }
  }
}
