/**
 * Loads the content of `gicollide view` from files: the page's document, and the assets' bytes. The
 * files are one or two assets, anything that `gicollide scene` accepts, or printed findings.
 */
import { basename } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { counted, grouped } from '../../base/printable.ts';
import { sha256 } from '../../containers/hash.ts';
import type { Asset } from '../../engine/representation.ts';
import { identity } from '../../math/pose.ts';
import type { BaselineEntry, Refine } from '../../report/baseline.ts';
import { FAILING, levelsOf, type ReportFinding } from '../../report/finding.ts';
import { toldBy } from '../../report/records.ts';
import { sorted } from '../../report/severity.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
import { answerOnThreads } from '../../scene/answer-pairs.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { SceneObject, SceneOptions, SceneSummary, Touching } from '../../scene/records.ts';
import { withoutIfc } from '../../scene/rules.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { TOOL } from '../../version.ts';
import type { Up } from '../../viewer/camera.ts';
import type { Again, Asked, ViewAsset, ViewDocument, ViewFrame, ViewObject } from '../../viewer/document.ts';
import { partsOfStill, refinerOf } from '../answerers.ts';
import { type PoseOptions, poseOf } from '../arguments.ts';
import { flagOf } from '../check-flags.ts';
import { type FindingFile, openFindingFile } from '../findings/finding-file.ts';
import { FindingLog, type Marks, type Missing } from '../findings/finding-log.ts';
import type { SceneRun } from '../findings/scene-run.ts';
import { solidOptionsOf } from '../flags.ts';
import { buildTree, encodeAsset, leastBytesOf, loadAsset, readInput } from '../inputs/load.ts';
import { extensionOf, isSameFile, kindOf, MODEL, nameOf, STDIN } from '../inputs/name.ts';
import { holding } from '../inputs/open.ts';
import { accountOfFrames, type Frames, findInFrames } from '../scene/frames.ts';
import { isSceneFile } from '../scene/inputs.ts';
import { openRun } from '../scene/open-run.ts';
import { loadObjects, type OpenedScene, openScene } from '../scene/open-scene.ts';
import { accountOf, type Facts, listOf, relatedFact } from '../scene/print-scene.ts';
import {
  about,
  keepingWarnings,
  type NamedSession,
  requireInputs,
  type Session,
  type WarningRecord,
} from '../session.ts';
import { createProgress } from '../terminal.ts';
import { labelsOf, type PairUnits, requireOneUnitOfPair, type UnitLabel } from '../units.ts';
import type { ViewFlags } from './view-flags.ts';

export interface LoadedView {
  document: ViewDocument;
  /** The encoded assets of the document, in order. */
  files: Uint8Array[];
  /** Elements that are incomplete without permission. */
  unchecked: number;
  /** With a baseline. */
  refine: Refine | null;
}

interface LoadViewOptions {
  mostBytes?: number;
  /** True if the baseline is changed later: it may be missing, and the document names it. */
  savesBaseline?: boolean;
}

/** @param args as for `check` or `scene`; or findings that they printed with --json */
export async function loadView(
  args: readonly string[],
  flags: ViewFlags,
  session: Session,
  { mostBytes = Number.POSITIVE_INFINITY, savesBaseline = false }: LoadViewOptions = {},
): Promise<LoadedView> {
  await loadKinds();
  requireInputs([...args, ...(flags.against ?? [])], session);
  const { baseline = null, worse } = flags;
  const known = { ...(baseline !== null && { baseline }), ...(worse !== undefined && { worse }) };
  const log = await FindingLog.open({ ...known, makesBaseline: savesBaseline }, []);
  const all = [...args, ...(flags.with ?? [])];
  const asking = { flags, session: holding([...all, ...(flags.against ?? [])], session) };
  const source = await openSource(all, asking, (objects) => requireFew(leastBytesOf(objects), mostBytes));
  const { assets, files, numbers } = await encodeAll(source, mostBytes, session);
  const refine = log.compares ? await refinerOf(source.objects) : null;
  log.refine = refine;
  const { findings, summary, frames } = await source.find(log);
  const document: ViewDocument = {
    gicollide: 'view/1',
    title: titleOf([...all, ...(flags.against ?? [])].map((arg) => nameOf(arg, session))),
    tool: TOOL,
    units: source.units,
    up: flags.up ?? upOf(source),
    assets,
    objects: source.objects.map((object) => objectOf(object, numbers.get(object.asset)!)),
    asked: { ...askedOf(source.asked, source.objects), ...(flags.failOn && { failOn: flags.failOn }) },
    ...{ findings, summary, frames },
    baseline: savesBaseline ? baseline : null,
    again: source.again,
  };
  return { document, files, unchecked: source.unchecked ?? 0, refine };
}

/** Checks objects as soon as they are loaded, before anything is asked of them. */
type OnLoaded = (objects: readonly SceneObject[]) => void;

interface Asking {
  flags: ViewFlags;
  session: Session;
}

const openSource = async (args: readonly string[], { flags, session }: Asking, onLoaded: OnLoaded): Promise<Source> =>
  (await openFindingsSource(args, { flags, session }, onLoaded)) ??
  (await openPairSource(args, { flags, session }, onLoaded)) ??
  openSceneSource(args, { flags, session }, onLoaded);

async function encodeAll({ objects, encoded }: Source, mostBytes: number, session: Session) {
  const numbers = new Map<Asset, number>();
  const first: SceneObject[] = [];
  for (const object of objects) {
    if (numbers.has(object.asset)) continue;
    numbers.set(object.asset, numbers.size);
    first.push(object);
  }
  const progress = createProgress('view', session.global);
  const assets: ViewAsset[] = [];
  const files: Uint8Array[] = [];
  let bytes = [...encoded.values()].reduce((sum, { length }) => sum + length, 0);
  try {
    for (const [n, object] of first.entries()) {
      requireFew(bytes, mostBytes);
      progress.update('assets', n / first.length);
      const own = encoded.get(object.asset);
      const file = own ?? (await encodeAsset(object.asset));
      if (!own) bytes += file.length;
      files.push(file);
      assets.push(viewAssetOf(object, file.length));
    }
    requireFew(bytes, mostBytes);
  } finally {
    progress.stop();
  }
  return { assets, files, numbers };
}

function requireFew(bytes: number, most: number): void {
  if (bytes > most)
    throw new InputError(
      `expected at most ${grouped(most)} bytes of assets for one page, found ${grouped(bytes)} or more; without --html, a server sends them`,
    );
}

function viewAssetOf({ asset, assetName, name, sha256, origin }: SceneObject, bytes: number): ViewAsset {
  const { name: representation } = representationOf(asset);
  const own = assetName ?? name;
  const shown = origin?.element === undefined ? own : `${own}/${origin.element}`;
  return { name: shown, representation, sha256: sha256 ?? null, bytes };
}

/** The axis that the files' formats have up. Scenes have frames of their own, but glTF has one. */
function upOf({ objects, isReported = false }: Source): Up {
  const hasY = ({ origin }: SceneObject): boolean =>
    !!origin && (/\.(glb|gltf)$/i.test(origin.file) || (/\.obj$/i.test(origin.file) && !isReported && !origin.scene));
  return objects.every(hasY) ? 'y' : 'z';
}

const objectOf = ({ name, pose, origin }: SceneObject, asset: number): ViewObject => ({
  ...{ name, asset, pose: Array.from(pose ?? identity()), file: origin?.file ?? null },
  ...{ element: origin?.element ?? null, guid: origin?.guid ?? null },
});

/** Returns the options that are plain JSON; a scene's rules come with all fields of their file. */
function askedOf(
  { clearance, solid, tolerance, touchGap, rules = {}, against, still, sides, related = [] }: SceneOptions,
  objects: readonly SceneObject[],
): Asked {
  const named = objects.map(({ name, origin }) => ({ name, ifc: origin?.ifc }));
  const known = withoutIfc(rules, sides, named);
  const { groups, rules: list, allow } = known.rules;
  const own = { ...(groups && { groups }), ...(list && { rules: list }), ...(allow && { allow }) };
  return {
    ...(clearance !== undefined && { clearance }),
    solid: solid ?? 'auto',
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
    ...(Object.keys(own).length > 0 && { rules: own }),
    ...(against && { against: [...against] }),
    ...(still && { still: [...still] }),
    ...(known.sides && { sides: known.sides }),
    ...(related.length > 0 && { related }),
  };
}

const MOST_NAMED = 3;

function titleOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => basename(name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The content of a view, whatever its source. */
export interface Source {
  objects: SceneObject[];
  asked: SceneOptions;
  units: string | null;
  again: Again;
  encoded: ReadonlyMap<Asset, Uint8Array>;
  find(log: FindingLog): Promise<Found>;
  /** Elements that are incomplete without permission. */
  unchecked?: number;
  /** True for findings of a scene, which do not name its file. */
  isReported?: boolean;
}

export interface Found {
  findings: ReportFinding[];
  /** The last line of `gicollide scene`, without the duration. */
  summary: string | null;
  frames: ViewFrame[];
}

/** Flags that `check --scene` shares with `scene`. */
const SCENE_FLAGS = { units: '--units', srdf: '--srdf', state: '--state' } as const;

/** Makes the command line that checks two objects of the view. */
export function againOf(
  command: Again['command'],
  files: readonly string[],
  flags: ViewFlags,
  { global }: Session,
): Again {
  const { solid = 'auto', tolerance, touchGap } = solidOptionsOf(flags);
  const word = (name: string, value: number | string | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  const ofScene = [
    ...Object.entries(SCENE_FLAGS).flatMap(([key, name]) => word(name, flags[key as keyof typeof SCENE_FLAGS])),
  ];
  const ofFiles = [
    ...(global.allowOutside ? ['--allow-outside'] : []),
    ...[...(global.package ?? [])].flatMap(([name, folder]) => ['--package', `${name}=${folder}`]),
  ];
  return {
    command,
    files: [...files],
    options: [
      ...['--solid', solid],
      ...word('--clearance', flags.clearance),
      ...word('--tolerance', tolerance),
      ...word('--touch-gap', touchGap),
      ...(command === 'scene' ? ofScene : [...word('--units-a', flags.unitsA), ...word('--units-b', flags.unitsB)]),
      ...ofFiles,
      ...(files.includes(STDIN) ? word('--name', global.name) : []),
    ],
  };
}

export async function place(
  name: string,
  { objects, asked }: Pick<OpenedScene, 'objects' | 'asked'>,
  { log }: Session,
): Promise<PlacedScene> {
  const answerPairs = answerOnThreads(({ message }) =>
    log.warn(`--jobs: no other thread starts, so one does all the work: ${message}`),
  );
  const parts = { ...(await partsOfStill()), answerPairs };
  return about(name, () => placeScene(objects, asked, parts));
}

export interface Beside {
  covered: Pick<Covered, 'findings' | 'failures' | 'open'>;
  warnings(): readonly WarningRecord[];
  facts: OpenedScene['facts'];
}

/**
 * Finds contacts of the objects at their poses, as `gicollide scene` does, and compares them with a
 * baseline.
 *
 * @param beside null for a pair, which has no last line
 */
export async function findStill(
  scene: PlacedScene,
  beside: Beside | null,
  log: FindingLog,
  flags: ViewFlags,
  session: Session,
): Promise<Found> {
  const progress = createProgress('view', session.global);
  const levelOf = levelsOf(flags.failOn ?? FAILING, scene.options.rules?.rules);
  const findings: ReportFinding[] = [];
  const summary = await scene
    .tell({
      ...(flags.jobs && { jobs: flags.jobs }),
      onProgress: (done) => progress.update('pairs', done),
      onFinding: (finding) => {
        findings.push(...toldBy(log.mark(finding, levelOf(finding))).findings);
      },
    })
    .finally(() => progress.stop());
  const open = beside?.covered.open;
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean =>
    b !== undefined && !open?.has(a) && !open?.has(b) && scene.looksAt(a, b, rule);
  const missing = await log.end(null, wasAsked, { command: 'scene' });
  const unchecked = beside?.covered.findings.flatMap((record) => toldBy(record).findings) ?? [];
  return {
    findings: [...sorted(findings), ...unchecked, ...missingFindings(missing)],
    summary:
      beside && withWarnings(textOf(summary, { ...beside.facts, ...relatedFact(scene.related) }), beside.warnings()),
    frames: [],
  };
}

const textOf = (summary: SceneSummary, facts: Omit<Facts, 'seconds'>): string =>
  accountOf(summary, facts).join('; ') + (summary.allowed > 0 ? `, ${grouped(summary.allowed)} allowed` : '');

function withWarnings(text: string, warnings: readonly WarningRecord[]): string {
  const { warnings: lines = [] } = listOf(warnings);
  return [text, ...lines.map((line) => `warning: ${line}`)].join('; ');
}

async function findMoving(
  scene: PlacedScene,
  { objects, frames, movable, robot }: OpenedScene & { frames: Frames },
  { covered, warnings, facts }: Beside,
  log: FindingLog,
  flags: ViewFlags,
): Promise<Found> {
  const taken: ViewFrame[] = [];
  const options = {
    ...{
      failOn: flags.failOn ?? FAILING,
      facts: { objects: scene.objects.length, ...facts, ...relatedFact(scene.related) },
      log,
    },
    looksAt: (a: string, b: string): boolean => scene.looksAt(a, b, null),
    ...{ covered, warnings },
    ...{ stepping: {}, ...(robot && { robot: robot.facts }) },
  };
  const touching: (readonly Touching[])[] = [];
  const found = await findInFrames(scene, kept(frames, taken), movable, options, ({ now }) =>
    touching.push([...now.values()]),
  );
  const { summary, marks, missing } = found;
  const moves = movingNames(objects, taken, movable.deforming.keys());
  for (const [n, pairs] of touching.entries())
    if (pairs.some(({ a, b }) => moves.has(a) || moves.has(b))) taken[n].touches = true;
  const all = marks.flat();
  const told = toldBy(summary).findings.map((finding, n) => ({ ...finding, ...shown(all[n]) }));
  // In the order of the summary's findings.
  const firsts = summary.pairs.flatMap(({ first }) => Object.values(first));
  for (const [n, { id }] of told.entries()) (taken[firsts[n].frame].found ??= []).push(id);
  const unchecked = covered.findings.flatMap((record) => toldBy(record).findings);
  return {
    findings: [...told, ...unchecked, ...missingFindings(missing)],
    summary: withWarnings(accountOfFrames(summary, null).join('; '), warnings()),
    frames: taken,
  };
}

/** Names of the objects that leave their poses, or deform. */
function movingNames(
  objects: readonly SceneObject[],
  frames: readonly ViewFrame[],
  deforming: Iterable<string>,
): Set<string> {
  const home = new Map(objects.map(({ name, pose }) => [name, pose ?? identity()]));
  const moving = new Set(deforming);
  for (const { poses } of frames)
    for (const [name, pose] of Object.entries(poses))
      if (pose.some((x, i) => x !== home.get(name)?.[i])) moving.add(name);
  return moving;
}

const shown = ({ level, state, note, accepted }: Marks): Partial<ReportFinding> => ({
  ...{ level, state: state ?? null, note: note ?? null, accepted: accepted ?? false },
});

const missingFindings = (missing: readonly Missing[]): ReportFinding[] =>
  missing.flatMap((record) => toldBy(record).findings);

async function* kept(frames: Frames, taken: ViewFrame[]): Frames {
  for await (const frame of frames) {
    const poses = (movable: OpenedScene['movable']): ReturnType<typeof frame.poses> => {
      const own = frame.poses(movable);
      const numbers = Object.entries(own).map(([name, pose]) => [name, Array.from(pose)] as const);
      taken.push({ time: frame.time, poses: Object.fromEntries(numbers) });
      return own;
    };
    yield { ...frame, poses };
  }
}

const POSES = ['poseA', 'poseB', 'translateA', 'translateB', 'rotateA', 'rotateB'] as const;
const OF_SCENES = [
  ...(['against', 'with', 'allow', 'units', 'srdf', 'state', 'states', 'a', 'b', 'include', 'ifcRelations'] as const),
];

interface Part {
  arg: string;
  asset: Asset;
  sha256: string;
  /** The file of a stored asset. */
  bytes: Uint8Array | null;
}

/** Returns null for a scene: more than two files, folders, scene files, robots, elements. */
async function openPairSource(
  args: readonly string[],
  { flags, session }: Asking,
  onLoaded: OnLoaded,
): Promise<Source | null> {
  const pose = POSES.find((key) => flags[key] !== undefined);
  const units = (['unitsA', 'unitsB'] as const).find((key) => flags[key] !== undefined);
  const parts = OF_SCENES.some((key) => flags[key] !== undefined)
    ? null
    : await partsOf(args, pose !== undefined, flags, session);
  if (!parts) {
    if (units) throw new OptionError(`${flagOf(units)} is for a pair of assets or meshes: use --units for a scene`);
    if (!pose) return null;
    throw new OptionError(`${flagOf(pose)} is for a pair of assets or meshes: a scene file places its objects`);
  }
  const told = ({ arg, asset }: Part) => [nameOf(arg, session), representationOf(asset).units(asset)] as const;
  if (parts.length === 2) requireOneUnitOfPair(told(parts[0]), told(parts[1]));
  const objects = placed(parts, flags, session);
  onLoaded(objects);
  const { clearance } = flags;
  const asked = { ...(clearance !== undefined && { clearance }), ...solidOptionsOf(flags) };
  const scene = await place(args.join(' '), { objects, asked }, session);
  return {
    ...{ objects, asked },
    units: representationOf(parts[0].asset).units(parts[0].asset),
    again: againOf('check', args, flags, session),
    encoded: new Map(parts.flatMap(({ asset, bytes }) => (bytes ? [[asset, bytes]] : []))),
    find: (log) => findStill(scene, null, log, flags, session),
  };
}

async function partsOf(
  args: readonly string[],
  isPair: boolean,
  flags: PairUnits,
  session: Session,
): Promise<Part[] | null> {
  if (args.length > 2 || args.some((arg) => arg !== STDIN && kindOf(arg) === 'folder')) return null;
  const isOne = args.length === 2 && isSameFile(args[0], args[1]);
  const labels = labelsOf({ unitsA: flags.unitsA, unitsB: flags.unitsB }, { isSameFile: isOne });
  const first = await partOf(args[0], isPair, labels.a, session);
  if (!first || args.length === 1) return first && [first];
  // A pipe gives its bytes once, so a file with itself is one input.
  const second = isOne ? first : await partOf(args[1], isPair, labels.b, session);
  return second && [first, { ...second, arg: args[1] }];
}

/** Returns null for several objects. @param isPair true if files are loaded as a whole anyway */
async function partOf(
  arg: string,
  isPair: boolean,
  label: UnitLabel | undefined,
  session: Session,
): Promise<Part | null> {
  const name = nameOf(arg, session);
  if (isSceneFile(name)) return null;
  const input = await readInput(arg, session);
  const { bytes, content } = input;
  // In an unnamed stream, any JSON is a scene.
  if (content === 'model' && extensionOf(name) !== MODEL) return null;
  const digest = await sha256(bytes);
  if (content !== 'mesh') return { arg, sha256: digest, ...(await loadAsset(input, session, label)) };
  const { isRobot, meshFormatOf } = await import('../../readers/formats.ts');
  // Buildings have elements, and take long to read.
  if (isRobot(bytes) || (!isPair && meshFormatOf(bytes).name === 'IFC')) return null;
  const { meshFileOf } = await import('../inputs/mesh.ts');
  const read = await meshFileOf(arg, bytes, session);
  if (!isPair) {
    const { elementsOf } = await import('../../readers/elements.ts');
    const isSolid = read.nodes.some(({ primitive }) => primitive);
    if (isSolid || (await about(name, () => elementsOf(read, 'elements'))).length !== 1) return null;
  }
  const asset = await buildTree(name, { ...read, sha256: digest }, session, label);
  return { arg, sha256: digest, asset, bytes: null };
}

/** Names objects by their files, or by paths if two files have the same name. */
function placed(parts: readonly Part[], flags: PoseOptions, session: Session): SceneObject[] {
  const paths = parts.map(({ arg }) => nameOf(arg, session));
  const short = paths.map((path) => basename(path));
  const called = short[0] === short[1] ? paths : short;
  const names = called[0] === called[1] ? [`${called[0]} a`, `${called[1]} b`] : called;
  return parts.map(({ asset, sha256 }, n) => ({
    ...{ name: names[n], asset, pose: poseOf(flags, n === 0 ? 'A' : 'B') },
    ...{ assetName: short[n], sha256, origin: { file: paths[n] } },
  }));
}

async function openSceneSource(args: readonly string[], asking: Asking, onLoaded: OnLoaded): Promise<Source> {
  const { flags } = asking;
  const session = keepingWarnings(asking.session);
  const loaded = await loadObjects(args, flags, session);
  onLoaded(loaded.objects);
  if (loaded.objects.length === 0) throw new InputError(`${args.join(' ')}: no object`);
  const opened = await openScene(loaded, flags, session);
  const { objects, asked, frames, covered, robot } = opened;
  const warnings = () => [...session.warnings.values()];
  const facts = { ...opened.facts, ...robot?.facts() };
  const scene = await place(args.join(' '), opened, session);
  return {
    ...{ objects, asked, units: facts.units, encoded: new Map() },
    again: againOf('scene', [...args, ...(flags.against ?? [])], flags, session),
    find: (log) =>
      frames
        ? findMoving(scene, { ...opened, frames }, { covered, warnings, facts: opened.facts }, log, flags)
        : findStill(scene, { covered, warnings, facts }, log, flags, session),
    unchecked: covered.coverage.unchecked,
  };
}

/** Takes findings that `scene` or `check` printed with --json. @returns null for another file */
async function openFindingsSource(
  args: readonly string[],
  { flags, session }: Asking,
  onLoaded: OnLoaded,
): Promise<Source | null> {
  if (args.length !== 1) return null;
  let whole: OpenedScene | null = null;
  const openAll = async (run: SceneRun, named: NamedSession): Promise<readonly SceneObject[] | null> => {
    try {
      whole = await openRun(run, named);
      return whole.objects;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      session.log.warn(`${args[0]}: only the objects that findings name are shown: ${error.message}`);
      return null;
    }
  };
  const file = await openFindingFile(args[0], session, { openAll });
  if (!file) return null;
  const { objects, pair, units, count } = file;
  if (objects.length === 0) throw new InputError(`${args[0]}: expected findings with their files, found none`);
  onLoaded(objects);
  const { asked } = (whole as OpenedScene | null) ?? file;
  await place(args[0], { objects, asked }, session); // refuses what is no scene
  const unit = objects.map(({ origin }) => origin?.units?.scene ?? null)[0];
  const isPart = whole === null && file.isOfScene && count !== objects.length;
  const known =
    count === null ? counted(objects.length, 'object') : `${grouped(objects.length)} of ${counted(count, 'object')}`;
  const summary = isPart ? `${known}: those that findings name` : null;
  return {
    ...{ objects, asked, units: unit, encoded: new Map() },
    again: {
      ...againOf(pair ? 'check' : 'scene', pair ?? args, { ...withAsked(flags, asked), ...units }, session),
      ...(!pair && { findings: args[0] }),
    },
    find: async (log) => ({ ...(await findAgain(file, log)), summary }),
    isReported: pair === null,
  };
}

function withAsked(flags: ViewFlags, { clearance, solid, tolerance, touchGap }: SceneOptions): ViewFlags {
  return {
    ...flags,
    ...(clearance !== undefined && { clearance }),
    ...(solid !== undefined && { solid }),
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
  };
}

async function findAgain({ records }: FindingFile, log: FindingLog): Promise<Found> {
  const findings = records.flatMap(({ record, told, names }): ReportFinding[] => {
    const [first] = told.findings;
    if (!first || !names) return first && ['gone', 'unchecked'].includes(first.state ?? first.class) ? [first] : [];
    const [finding] = toldBy(log.mark(record, first.level)).findings;
    return [{ ...finding, subjects: finding.subjects.map((subject, n) => ({ ...subject, name: names[n] })) }];
  });
  const missing = await log.end(null, () => false, { command: 'scene' });
  const [unchecked, others] = [true, false].map((is) => findings.filter((one) => (one.class === 'unchecked') === is));
  return { findings: [...sorted(others), ...unchecked, ...missingFindings(missing)], summary: null, frames: [] };
}
