/** Turns JSON lines of `scene` or `check` into a scene of the findings' objects. */
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { validatePose } from '../../math/pose.ts';
import { SPLITS } from '../../readers/elements.ts';
import { type Told, toldBy } from '../../report/records.ts';
import { sniffKind } from '../../representations/kinds.ts';
import type { Party, SceneObject, SceneOptions } from '../../scene/records.ts';
import { loadAsset } from '../inputs/load.ts';
import { kindOf, nameOf, placeOfFindings, STDIN } from '../inputs/name.ts';
import { namedInput, readWhole, requireNamed } from '../inputs/open.ts';
import { inLine } from '../lines.ts';
import { about, type NamedSession, type Session } from '../session.ts';
import { labelsOf, type PairUnits, type UnitLabel } from '../units.ts';
import { digestOf } from './check-run.ts';
import { objectsOf } from './finding-objects.ts';
import { runSchema } from './finding-pair.ts';

export interface FoundRecord {
  record: object;
  told: Told;
  /** The names of its two objects among `objects`; null if they could not be made. */
  names: [string, string] | null;
}

export interface FindingFile {
  objects: SceneObject[];
  records: FoundRecord[];
  asked: SceneOptions;
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

/** Returns null if it is no file of findings. @param isWanted selects the objects to make */
export async function openFindingFile(
  arg: string,
  session: Session,
  isWanted: (name: string) => boolean = () => true,
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
  const names = namesOf([...sides.values()]);
  const wanted = [...sides.values()].filter(({ key }) => isWanted(names.get(key)!));
  const named = placeOfFindings(arg, session);
  for (const file of new Set(wanted.map(fileOf))) requireNamed(file, { ...named, maxBytes: session.global.maxBytes });
  const objects = await about(name, () => make(wanted, names, { ...session, named }));
  const there = new Set(objects.map((object) => object.name));
  const records = read.map(({ record, told, sides }): FoundRecord => {
    const two = sides?.map(({ key }) => names.get(key)!) as [string, string] | undefined;
    return { record, told, names: two?.every((each) => there.has(each)) ? two : null };
  });
  return { objects, records, asked: widest(read), ...pairOf(read) };
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

/** Gives each side its own name. Sides of one name at different poses are numbered. */
function namesOf(sides: readonly Side[]): Map<string, string> {
  const taken = new Set<string>();
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
  session: NamedSession,
): Promise<SceneObject[]> {
  const made = new Map<string, SceneObject>();
  const problems = new Set<string>();
  const parties = sides.flatMap((side) => ('party' in side ? [side] : []));
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
