/** Plans a run of `gicollide build`: inputs, outputs and jobs. */
import { basename, sep } from 'node:path';
import { OptionError } from '../../base/errors.ts';
import { Exclusion } from '../../base/patterns.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import { requirePages } from '../../representations/gi/format/pages.ts';
import { exponentOf } from '../../representations/gi/tree/geometry-image.ts';
import { builtKinds, KINDS, kindNamed } from '../../representations/kinds.ts';
import { expandFiles, extensionOf, type Inputs, identityOf, MODEL, nameOf } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { formatsWithOption } from './build-key.ts';
import { type BuildInput, type BuildJob, buildFlagsOf, type ExcludedRecord, type PlanFlags } from './job.ts';
import { elementStem, planOutputs } from './outputs.ts';

export interface BuildPlan {
  jobs: BuildJob[];
  /** Arguments that match nothing, one line each. */
  problems: string[];
  /** Files in folders that are left out, counted by extension. */
  skipped: ReadonlyMap<string, number>;
  /** Patterns of what is excluded, of all jobs. */
  patterns: readonly string[];
  /** Files that are excluded by their names. */
  excluded: readonly ExcludedRecord[];
  inputs: ReadonlySet<string>;
}

export const BUILT_ENDINGS = [...MESH_ENDINGS, MODEL];

const FREP = 'frep';

/** Extensions of outputs: those of an earlier run in a folder are not reported as skipped. */
export const WRITTEN = KINDS.map(({ extension }) => extension);

interface Asked {
  /** Options given by the user: flags by their names in the library. */
  given: ReadonlyMap<string, string>;
  formats: string;
}

/** @throws OptionError for bad options; InputError if an output would overwrite another file */
export async function planBuild(
  args: readonly string[],
  flags: PlanFlags,
  given: ReadonlyMap<string, string>,
  session: Session,
): Promise<BuildPlan> {
  const asked = { given, formats: `-f ${flags.format}` };
  const found = () => expandFiles(args, BUILT_ENDINGS, WRITTEN);
  return planFiles(found, flags, asked, session);
}

export async function planFiles(
  find: () => Promise<Inputs>,
  flags: PlanFlags,
  asked: Asked,
  session: Session,
): Promise<BuildPlan> {
  const formats = parseFormats(flags.format);
  if (flags.size !== 'auto' && exponentOf(flags.size) < 0) {
    throw new OptionError(`--size ${flags.size}: expected 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193 or auto`);
  }
  const pages = flags.pages && requirePages(flags.pages, { keepsSource: flags.embedSource === true });
  // One order, since the request's digest has them.
  const patterns = [...new Set(flags.exclude)].sort();
  const exclude = patterns.length > 0 ? patterns : undefined;
  const own = buildFlagsOf({ ...flags, exclude, ...(pages && { pages }) } as PlanFlags);
  const { files: found, problems, below, skipped } = await find();
  const excluded = excludedFiles(found, below, patterns, session);
  const all = found.filter((file) => !excluded.has(file));
  const isModel = (file: string): boolean => extensionOf(nameOf(file, session)) === MODEL;
  const models = all.filter(isModel);
  const files = all.filter((file) => !isModel(file));
  if (files.length > 0 || models.length === 0) refuseUnbuilt(asked.given, formats, asked.formats);
  else refuseUnbuilt(asked.given, [FREP], 'a .frep.json becomes a .frep');
  const isSplit = flags.split !== undefined;
  const isFolder = all.length + problems.length > 1 || (files.length > 0 && (formats.length > 1 || isSplit));
  const plan = (inputs: string[], format: string): string[] => {
    const names = inputs.map((file) => (!flags.flat && below.get(file)) || basename(nameOf(file, session)));
    if (inputs.length === 0) return [];
    return planOutputs(inputs, names, flags.out, kindNamed(format).extension, { isFolder });
  };
  const outputs = formats.map((format) => plan(files, format));
  const modelOutputs = plan(models, FREP);
  const solids = isSplit ? plan(files, FREP) : [];
  const ofModels = models.map((file, i): BuildJob => {
    return { kind: 'model', inputs: [{ file, outputs: [modelOutputs[i]] }], formats: [FREP], flags: own };
  });
  const ofMeshes = files.map((file, i) => ({
    file,
    outputs: outputs.map((list) => list[i]),
    ...(isSplit && { solids: solids[i] }),
  }));
  const groups = isSplit ? meetingGroups(ofMeshes) : ofMeshes.map((input) => [input]);
  const jobs = groups.map((group): BuildJob => ({ kind: 'mesh', inputs: group, formats, flags: own }));
  return {
    ...{ jobs: [...ofModels, ...jobs], problems, skipped, patterns },
    excluded: [...excluded.values()],
    inputs: new Set(found.map(identityOf)),
  };
}

/** By their names without endings, and by those of folders on the way; a single file is meant. */
function excludedFiles(
  files: readonly string[],
  below: ReadonlyMap<string, string>,
  patterns: readonly string[],
  session: Session,
): Map<string, ExcludedRecord> {
  const exclusion = new Exclusion(patterns);
  const excluded = new Map<string, ExcludedRecord>();
  for (const file of files) {
    const path = below.get(file) ?? (files.length > 1 ? basename(nameOf(file, session)) : undefined);
    if (path === undefined) continue;
    const name = path
      .slice(0, -extensionOf(path).length || undefined)
      .split(sep)
      .join('/');
    if (exclusion.has(name))
      excluded.set(file, { status: 'excluded', source: nameOf(file, session), names: [name], isWhole: true });
  }
  return excluded;
}

/** Groups files whose elements may collide: a.obj has an element b.c, and a.b.obj an element c. */
function meetingGroups(inputs: readonly BuildInput[]): BuildInput[][] {
  const stems = inputs.map((input) => elementStem(input.solids as string));
  const order = inputs.map((_, i) => i).sort((i, j) => (stems[i] < stems[j] ? -1 : stems[i] > stems[j] ? 1 : i - j));
  const groups: number[][] = [];
  let stem: string | undefined;
  for (const i of order) {
    // After sorting, stems that begin with a stem follow it directly.
    if (stem !== undefined && stems[i].startsWith(stem)) groups[groups.length - 1].push(i);
    else {
      groups.push([i]);
      stem = stems[i];
    }
  }
  for (const group of groups) group.sort((i, j) => i - j);
  groups.sort(([i], [j]) => i - j);
  return groups.map((group) => group.map((i) => inputs[i]));
}

function refuseUnbuilt(given: ReadonlyMap<string, string>, built: readonly string[], asked: string): void {
  for (const [name, flag] of given) {
    const owners = formatsWithOption(name);
    if (owners.length === 0 || owners.some((owner) => built.includes(owner))) continue;
    throw new OptionError(`${flag}: an option of ${owners.join(' and ')}, which is not built (${asked})`);
  }
}

function parseFormats(list: string): readonly string[] {
  if (list === 'all') return builtKinds();
  return [...new Set(list.split(','))].map((name) => {
    const kind = name.trim();
    if (kind === FREP)
      throw new OptionError('--format frep: a mesh is no function; a .frep.json becomes one by itself');
    if (builtKinds().includes(kind)) return kind;
    throw new OptionError(
      `--format ${name}: expected ${builtKinds()
        .join(', ')
        .replace(/, (?=\w+$)/, ' or ')}, a list of them, or all`,
    );
  });
}
