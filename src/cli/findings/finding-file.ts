/**
 * Reads findings that `scene` or `check` printed as JSON lines, and makes their objects again: a
 * scene of all, or the two objects of one (`check --finding`).
 */
import * as z from 'zod/mini';
import { InputError, OptionError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { Suggestions } from '../../base/patterns.ts';
import { ambiguousText, idsMeant, printable } from '../../base/printable.ts';
import { type Pose, validatePose } from '../../math/pose.ts';
import { SPLITS } from '../../readers/elements.ts';
import { type Told, toldBy } from '../../report/records.ts';
import { sniffKind } from '../../representations/kinds.ts';
import { FAIL_CLASSES } from '../../scene/classes.ts';
import { loadScene } from '../../scene/load.ts';
import type { Finding, Party, SceneObject, SceneOptions } from '../../scene/records.ts';
import { readScene, type SceneModel } from '../../scene/scene-file.ts';
import { TOOL } from '../../version.ts';
import { loadAsset, readingOf } from '../inputs/load.ts';
import { openerBeside } from '../inputs/mesh.ts';
import { kindOf, type NamedPlace, nameOf, placeOfFindings, STDIN } from '../inputs/name.ts';
import { namedInput, readWhole, requireNamed } from '../inputs/open.ts';
import { inLine, linesOf } from '../lines.ts';
import { about, type NamedSession, type Session } from '../session.ts';
import { labelsOf, type PairUnits, type UnitLabel } from '../units.ts';
import { digestOf } from './check-run.ts';
import { runOfSummary, type SceneRun } from './scene-run.ts';

interface FoundRecord {
  record: object;
  told: Told;
  /** The names of its two objects among `objects`; null if they could not be made. */
  names: [string, string] | null;
}

export interface FindingFile {
  objects: SceneObject[];
  records: FoundRecord[];
  asked: SceneOptions;
  /** The run that printed the findings, and the number of its objects; null if unknown. */
  run: SceneRun | null;
  count: number | null;
  /** True if a scene printed any of them, and not only `check`. */
  isOfScene: boolean;
  /** The two files if the input is one run of `check`. */
  pair: [string, string] | null;
  units: PairUnits;
}

const text = z.string();
const length = z.number().check(z.gte(0));
const maybe = z.optional(z.nullable(text));
const partySchema = z.looseObject({
  name: text,
  file: text,
  asset: maybe,
  sha256: maybe,
  element: z.optional(text),
  split: z.optional(z.enum(SPLITS)),
  scene: z.optional(text),
  guid: z.optional(text),
  ifc: z.optional(z.looseObject({ class: text })),
  weld: z.optional(z.number().check(z.gt(0))),
  chordTolerance: z.optional(text),
  units: z.optional(z.object({ file: z.nullable(text), scene: z.nullable(text) })),
  pose: z.array(z.number()).check(z.length(16)),
});
const pairSchema = z.object({
  a: partySchema,
  b: partySchema,
  asked: z.object({
    ...{ clearance: length, tolerance: length, touchGap: length },
    solid: z.enum(['auto', 'require', 'off']),
  }),
});

type Asked = z.infer<typeof pairSchema>['asked'];

/** One of the two of a finding: an object of a scene, or a file of `check`. */
type Side =
  | { key: string; name: string; party: Party }
  | { key: string; name: string; file: string; pose: number[]; label: UnitLabel | undefined };

const fileOf = (side: Side): string => ('party' in side ? side.party.file! : side.file);

interface Read {
  record: object;
  told: Told;
  sides: [Side, Side] | null;
  asked: Asked | null;
}

const LONGEST = 2 ** 29 - 24;

interface OpenOptions {
  /** Selects the objects to make; all unless given. */
  isWanted?: (name: string) => boolean;
  /** Opens all objects of the run that printed the findings; null if that fails. */
  openAll?: (run: SceneRun, session: NamedSession) => Promise<readonly SceneObject[] | null>;
}

/** Returns null if it is no file of findings. */
export async function openFindingFile(
  arg: string,
  session: Session,
  { isWanted = () => true, openAll }: OpenOptions = {},
): Promise<FindingFile | null> {
  if (arg !== STDIN && kindOf(arg) === 'folder') return null;
  const name = nameOf(arg, session);
  const bytes = readWhole(arg, session);
  if (!startsWithRecord(bytes)) return null;
  if (bytes.length > LONGEST)
    throw new InputError(`${name}: expected at most ${LONGEST} bytes of findings, found more`);
  const read: Read[] = [];
  let others = 0;
  for (const [n, line] of new TextDecoder()
    .decode(bytes)
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const own = inLine(name, n + 1, () => readRecord(parseJson(line)));
    if (own) read.push(own);
    else others++;
  }
  if (others > 0) session.log.warn(`${name}: ${others} findings without two files are left out`);
  const sides = new Map(read.flatMap((each) => each.sides ?? []).map((side) => [side.key, side]));
  const named = placeOfFindings(arg, session);
  const summaries = read.map(({ told }) => told.summary).filter((summary) => summary !== undefined);
  const run = summaries.length === 1 ? runOfSummary(summaries[0]) : null;
  const all = (run && (await openAll?.(run, { ...session, named }))) ?? [];
  const same = sameOf([...sides.values()], all);
  const names = namesOf([...sides.values()], same, all);
  const wanted = [...sides.values()].filter(({ key }) => isWanted(names.get(key)!));
  for (const file of new Set(wanted.map(fileOf))) requireNamed(file, { ...named, maxBytes: session.global.maxBytes });
  const made = await about(name, () => make(wanted, names, same, { ...session, named }));
  const found = new Map(made.map((object) => [object.name, object]));
  const own = new Set(all.map((object) => object.name));
  const objects = [
    ...all.map((object) => found.get(object.name) ?? object),
    ...made.filter((object) => !own.has(object.name)),
  ];
  const there = new Set(objects.map((object) => object.name));
  const records = read.map(({ record, told, sides }): FoundRecord => {
    const two = sides?.map(({ key }) => names.get(key)!) as [string, string] | undefined;
    return { record, told, names: two?.every((each) => there.has(each)) ? two : null };
  });
  const total = summaries.length === 1 ? summaries[0].objects : null;
  const count = typeof total === 'number' ? total : null;
  const isOfScene = [...sides.values()].some((side) => 'party' in side);
  return { objects, records, asked: widest(read), run, count, isOfScene, ...pairOf(read) };
}

function startsWithRecord(bytes: Uint8Array): boolean {
  if (sniffKind(bytes)) return false;
  const start = bytes.findIndex((byte) => byte > 0x20);
  if (bytes[start] !== 0x7b) return false;
  const end = bytes.indexOf(0x0a, start);
  try {
    toldBy(parseJson(bytes.subarray(start, end < 0 ? bytes.length : end)));
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** Converts a record; null for a finding that does not name its two files. */
function readRecord(record: unknown): Read | null {
  const told = toldBy(record);
  const read = { record: record as object, told, sides: null, asked: null };
  const { type } = record as { type?: string };
  const isLone = type === 'gone' || type === 'unchecked' || told.findings[0]?.class === 'unchecked';
  if (told.findings.length === 0 || isLone) return read;
  const run = z.safeParse(runSchema, record);
  if (run.success) return { ...read, ...ofRun(run.data) };
  const pair = z.safeParse(pairSchema, record);
  if (!pair.success) return null;
  const [a, b] = [pair.data.a, pair.data.b].map((party): Side => {
    const { name, file, element, split, placement, units, pose } = party;
    const key = JSON.stringify([name, file, element, split, placement, units, pose]);
    return { key, name, party: { ...party, sha256: party.sha256 ?? null } as Party };
  });
  return { ...read, sides: [a, b], asked: pair.data.asked };
}

function ofRun({ a, b, run }: z.infer<typeof runSchema>): Pick<Read, 'sides' | 'asked'> {
  const { clearance = 0, tolerance = 0, touchGap = 0, solid = 'auto' } = run.asked;
  const labels = labelsOf(run.asked, { isSameFile: false });
  const side = (file: string, pose: number[], which: 'a' | 'b'): Side => {
    const label = labels[which];
    return { key: JSON.stringify([which, file, pose, label?.units]), name: file, file, pose, label };
  };
  return {
    sides: [side(a.file, run.poses[0], 'a'), side(b.file, run.poses[1], 'b')],
    asked: { clearance, tolerance, touchGap, solid },
  };
}

/** Finds the sides among the objects of the whole scene, by their keys. */
function sameOf(sides: readonly Side[], all: readonly SceneObject[]): Map<string, SceneObject> {
  const byName = new Map(all.map((object) => [object.name, object]));
  const same = new Map<string, SceneObject>();
  for (const side of sides) {
    const object = byName.get(side.name);
    if (!object?.origin || !('party' in side)) continue;
    const { file, element } = side.party;
    if (object.origin.file === file && object.origin.element === element) same.set(side.key, object);
  }
  return same;
}

/**
 * Gives each side its own name. Sides of one name at different poses are numbered, and so are those
 * that the whole scene has another object for.
 */
function namesOf(
  sides: readonly Side[],
  same: ReadonlyMap<string, SceneObject>,
  all: readonly SceneObject[],
): Map<string, string> {
  const free = new Set([...same.values()].map(({ name }) => name));
  const taken = new Set(all.map(({ name }) => name).filter((name) => !free.has(name)));
  const names = new Map<string, string>();
  for (const { key, name } of sides) {
    let own = name;
    for (let n = 2; taken.has(own); n++) own = `${name} (${n})`;
    taken.add(own);
    names.set(key, own);
  }
  return names;
}

async function make(
  sides: readonly Side[],
  names: ReadonlyMap<string, string>,
  same: ReadonlyMap<string, SceneObject>,
  session: NamedSession,
): Promise<SceneObject[]> {
  const made = new Map<string, SceneObject>();
  const problems = new Set<string>();
  const parties: { key: string; party: Party }[] = [];
  for (const side of sides) {
    if (!('party' in side)) continue;
    const object = same.get(side.key);
    if (object) made.set(side.key, placed(object, side.party, session));
    else parties.push(side);
  }
  const objects = await objectsOf(
    parties.map(({ party }) => party),
    session,
  );
  for (const [n, object] of objects.entries())
    if ('problem' in object) problems.add(object.problem);
    else made.set(parties[n].key, object);
  const known = new Map<string, Pick<SceneObject, 'asset' | 'sha256'>>();
  const { maxBytes } = session.global;
  for (const side of sides) {
    if ('party' in side) continue;
    const { key, file, pose, label } = side;
    try {
      const own = JSON.stringify([file, label?.units]);
      const loaded = known.get(own) ?? {
        asset: (await loadAsset(namedInput(file, { ...session.named, maxBytes }), session, label)).asset,
        sha256: digestOf(file, session.named),
      };
      known.set(own, loaded);
      const place = validatePose(pose, `the pose of ${file}`);
      made.set(key, { ...loaded, name: file, pose: place, assetName: file, origin: { file } } as SceneObject);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.add(error.message);
    }
  }
  if (made.size === 0 && problems.size > 0) throw new InputError([...problems][0]);
  for (const problem of problems) session.log.error(problem);
  return sides.flatMap(({ key }) => (made.has(key) ? [{ ...made.get(key)!, name: names.get(key)! }] : []));
}

/** Merges the options of all findings; of different values the one that finds most wins. */
function widest(read: readonly Read[]): SceneOptions {
  const all = read.flatMap(({ asked }) => (asked ? [asked] : []));
  if (all.length === 0) return {};
  const most = (key: 'clearance' | 'touchGap'): number => Math.max(...all.map((asked) => asked[key]));
  const [clearance, touchGap] = [most('clearance'), most('touchGap')];
  const tolerance = Math.min(...all.map((asked) => asked.tolerance));
  return {
    ...(clearance > 0 && { clearance }),
    solid: all[0].solid,
    ...(tolerance > 0 && { tolerance }),
    ...(touchGap > 0 && { touchGap }),
  };
}

function pairOf(read: readonly Read[]): Pick<FindingFile, 'pair' | 'units'> {
  const [first, ...others] = read.flatMap(({ sides }) => (sides ? [sides] : []));
  if (!first || others.length > 0) return { pair: null, units: {} };
  const [a, b] = first;
  if (!('file' in a && 'file' in b)) return { pair: null, units: {} };
  const units = { ...(a.label && { unitsA: a.label.units }), ...(b.label && { unitsB: b.label.units }) };
  return { pair: [a.file, b.file], units };
}

interface FilePair {
  fileA: string;
  fileB: string;
  poseA: number[];
  poseB: number[];
  named: NamedPlace;
  asked: z.infer<typeof askedSchema>;
}

const optionalLength = z.optional(z.number().check(z.gte(0)));
const flag = z.optional(z.literal(true));
const optionalText = z.optional(z.string());

const askedSchema = z.object({
  ...{ all: flag, distance: flag, source: flag, contactPoints: flag, patches: flag, exactDepth: flag },
  ...{
    maxContacts: optionalLength,
    clearance: optionalLength,
    budget: optionalLength,
    level: optionalLength,
    lod: optionalLength,
    maxError: optionalLength,
  },
  ...{ resolution: optionalLength, axes: optionalLength, tolerance: optionalLength, touchGap: optionalLength },
  search: z.optional(z.enum(['octants', 'slices', 'seed', 'random'])),
  subdivision: z.optional(z.enum(['octants', 'slices'])),
  trials: optionalLength,
  engine: z.optional(z.literal('search')),
  bounds: z.optional(z.literal('spheres')),
  time: z.optional(z.number()),
  ...{ units: optionalText, unitsA: optionalText, unitsB: optionalText },
  solid: z.optional(z.enum(['auto', 'require', 'off'])),
  depth: z.optional(z.enum(['off', 'coarse', 'fine'])),
  expect: z.optional(z.enum(['clear', 'contact'])),
  failOn: z.optional(z.array(z.enum(FAIL_CLASSES))),
});

const poseSchema = z.array(z.number()).check(z.length(16));
const runSchema = z.object({
  a: z.object({ file: z.string() }),
  b: z.object({ file: z.string() }),
  run: z.object({
    tool: z.string(),
    sha256: z.array(z.nullable(z.string())).check(z.length(2)),
    poses: z.array(poseSchema).check(z.length(2)),
    asked: askedSchema,
  }),
});

interface FindingPair {
  a: SceneObject;
  b: SceneObject;
  poseA: Pose;
  poseB: Pose;
  asked: Finding['asked'];
}

/** @param place a file printed by `scene --json` or `check --json`, then # and an id */
export async function openFinding(place: string, session: Session): Promise<FindingPair | FilePair> {
  const at = place.lastIndexOf('#');
  if (at < 1) throw new OptionError(`--finding: expected a file, # and an id, found ${JSON.stringify(place)}`);
  const [file, id] = [place.slice(0, at), place.slice(at + 1)];
  const finding = await findingIn(file, id);
  const { tool } = 'run' in finding ? finding.run : finding;
  if (tool !== TOOL) session.log.warn(`${file}: the finding is of ${tool}, this is ${TOOL}`);
  const named = placeOfFindings(file, session);
  for (const side of [finding.a, finding.b]) requireNamed(side.file!, { ...named, maxBytes: session.global.maxBytes });
  if ('run' in finding) return filesOf(finding, named, session);
  const [a, b] = (await objectsOf([finding.a, finding.b], { ...session, named })).map((made) => {
    if ('problem' in made) throw new InputError(made.problem);
    return made;
  });
  return { a, b, poseA: a.pose!, poseB: b.pose!, asked: finding.asked };
}

function filesOf({ a, b, run }: z.infer<typeof runSchema>, named: NamedPlace, { log }: Session): FilePair {
  for (const [n, { file }] of [a, b].entries())
    if (run.sha256[n] !== null && run.sha256[n] !== digestOf(file, named))
      log.warn(`${file}: has changed since it was checked`);
  return { named, fileA: a.file, fileB: b.file, poseA: run.poses[0], poseB: run.poses[1], asked: run.asked };
}

/** Finds a finding by its id, or by the beginning of its id. */
async function findingIn(file: string, id: string): Promise<Finding | z.infer<typeof runSchema>> {
  const begun = new Map<string, { record: Finding; line: number }>();
  for await (const { text, line } of linesOf(file)) {
    if (text.includes('"baseline/1"'))
      throw new InputError(`${file}: expected findings, found a baseline; gicollide scene --json prints findings`);
    if (!text.includes(id)) continue;
    const record = inLine(file, line, () => parseJson(text)) as Finding;
    const told = inLine(file, line, () => toldBy(record));
    const run = 'run' in record ? (record.run as { id?: unknown } | null)?.id : undefined;
    const own = typeof run === 'string' ? run : told.findings[0]?.id;
    if (own?.startsWith(id) && !begun.has(own)) begun.set(own, { record, line });
    if (own === id) break;
  }
  const meant = idsMeant(id, begun.keys());
  if (meant.length === 0) throw new InputError(`${file}: no finding has the id ${printable(id)}`);
  if (meant.length > 1) {
    const wordsOf = (each: string): string => namesIn(begun.get(each)!.record);
    throw new OptionError(`--finding: ${ambiguousText(id, meant, wordsOf)}`);
  }
  const { record, line } = begun.get(meant[0])!;
  if ('run' in record) {
    const held = z.safeParse(runSchema, record);
    if (held.success) return held.data;
    throw new InputError(`${file}:${line}: expected what gicollide check --json prints, found another record`);
  }
  if (!record.a?.file || !record.b?.file || !record.asked)
    throw new InputError(`${file}:${line}: expected a finding of gicollide scene --json with its files, found another`);
  return record;
}

const namesIn = (record: Finding): string =>
  toldBy(record)
    .findings.flatMap(({ subjects }) => subjects.map(({ name }) => printable(name)))
    .join(', ');

/** An object, or one line that says why it is missing. */
export type Made = SceneObject | { problem: string };

/** Makes one object per party, in order. Objects of one file share its asset. */
export async function objectsOf(parties: readonly Party[], session: NamedSession): Promise<Made[]> {
  const made: Made[] = [];
  const alike = new Map<string, number[]>();
  for (const [n, { units, weld, chordTolerance }] of parties.entries()) {
    const key = JSON.stringify([units?.scene ?? null, weld, chordTolerance]);
    alike.set(key, [...(alike.get(key) ?? []), n]);
  }
  for (const numbers of alike.values()) {
    const some = await objectsAlike(
      numbers.map((n) => parties[n]),
      session,
    );
    for (const [i, n] of numbers.entries()) made[n] = some[i];
  }
  return made;
}

/** The instance that a party's object belongs to, and its name there. */
interface Place {
  instance: string;
  wanted: string;
}

/** Of parties whose scenes have one unit, and whose files were read in one way. */
async function objectsAlike(parties: readonly Party[], session: NamedSession): Promise<Made[]> {
  const units = parties[0].units?.scene ?? null;
  const assets: SceneModel['assets'] = {};
  const instances: SceneModel['instances'] = [];
  const known = new Map<string, string>();
  const named = (key: string, add: (name: string) => void): string => {
    const name = known.get(key) ?? `${known.size}`;
    if (!known.has(key)) add(name);
    known.set(key, name);
    return name;
  };
  // Elements of these classes may be left out by rule.
  const classes = new Map<string, string[]>();
  for (const { file, ifc } of parties)
    if (ifc) classes.set(file!, [...new Set([...(classes.get(file!) ?? []), ifc.class])]);
  const places = parties.map(({ file, element, split, placement = {}, units: own }): Place => {
    const include = classes.get(file!);
    const options = { ...(split && { split }), ...(include && { include }) };
    const model = { file: file!, ...options, ...(own?.file != null && { units: own.file }) };
    const asset = named(`asset ${JSON.stringify(model)}`, (name) => {
      assets[name] = model;
    });
    const instance = named(`instance ${JSON.stringify([asset, placement])}`, (name) => {
      instances.push({ name, asset, ...placement });
    });
    return { instance, wanted: split ? `${instance}/${element}` : instance };
  });
  // Findings may contain anything, so the scene's reader validates them.
  const model = readScene({ gicollide: 'scene/1', ...(units !== null && { units }), assets, instances });
  const all = new Set(places.map(({ wanted }) => wanted));
  const inFiles: string[] = [];
  const isWanted = (name: string): boolean => {
    inFiles.push(name);
    return all.has(name);
  };
  const elements = new Map<string, Suggestions>();
  const hintOf = (instance: string, element: string): string => {
    const start = `${instance}/`;
    const own = (): string[] => inFiles.flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []));
    const known = elements.get(instance) ?? new Suggestions(own());
    elements.set(instance, known);
    return known.hint(element);
  };
  const openBeside = (path: string) => openerBeside(path, session);
  const reading = readingOf(session);
  const { weld = reading.weld, chordTolerance = reading.chordTolerance } = parties[0];
  const { objects, unchecked } = await loadScene(model, { ...reading, weld, chordTolerance, openBeside, isWanted });
  const byName = new Map(objects.map((object) => [object.name, object]));
  return parties.map((party, n): Made => {
    const { instance, wanted } = places[n];
    const found = byName.get(wanted);
    if (found) return placed(found, party, session);
    const failed = unchecked.find(({ names }) => names.includes(instance) || names.includes(wanted));
    if (failed) return { problem: failed.problem };
    const element = JSON.stringify(party.element);
    const meant = hintOf(instance, party.element ?? '');
    return { problem: `${party.file}: expected an object ${element}, found none of that name${meant}` };
  });
}

/** Poses are the same up to this relative difference: scales may be shared. */
const SAME_PLACE = 1e-5;

function placed(found: SceneObject, { name, file, sha256, pose }: Party, session: NamedSession): SceneObject {
  if (found.sha256 !== sha256) session.log.warn(`${file}: has changed since it was found`);
  // A robot's links are where its joints put them.
  const isThere = found.pose!.every((x, i) => Math.abs(x - pose[i]) <= SAME_PLACE * Math.max(1, Math.abs(x)));
  return { ...found, name, pose: isThere ? found.pose! : validatePose(pose, `the pose of ${name}`) };
}
