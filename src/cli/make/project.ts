/** Plans the builds of a project file, and refuses entries that would write the same file. */
import { basename, extname, join, relative, sep } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { quoted } from '../../base/printable.ts';
import type { BuildEntry } from '../../project/project-file.ts';
import { expandFiles, type Inputs, identityOf, kindOf, matching, withSlashes } from '../inputs/name.ts';
import { listOf, type Project, projectPath } from '../project-file.ts';
import { about, type Session } from '../session.ts';
import { BUILD_DEFAULTS, type BuildFlags, type BuildJob, type ExcludedRecord, type PlanFlags } from './job.ts';
import { elementStem } from './outputs.ts';
import { BUILT_ENDINGS, type BuildPlan, planFiles, WRITTEN } from './plan.ts';

/** Plans all entries. A pattern that matches nothing is a problem. */
export async function planProject(project: Project, session: Session): Promise<BuildPlan> {
  const { file, model } = project;
  const entries = model.build ?? [];
  if (entries.length === 0) throw new InputError(`${file}: expected something to build, found no entry of build`);
  const all: BuildPlan = { jobs: [], problems: [], skipped: new Map(), patterns: [], excluded: [], inputs: new Set() };
  const patterns = new Set<string>();
  const excluded: ExcludedRecord[] = [];
  const skipped = new Map<string, number>();
  const inputs = new Set<string>();
  for (const [i, entry] of entries.entries()) {
    const place = `build[${i}]`;
    const flags = flagsOf(project, entry, place);
    const asked = { given: givenBy(entry, place), formats: `format ${flags.format}` };
    const plan = await about(file, () => planFiles(() => findFiles(project, entry, place), flags, asked, session));
    all.jobs.push(...plan.jobs);
    all.problems.push(...plan.problems);
    for (const [ending, count] of plan.skipped) skipped.set(ending, (skipped.get(ending) ?? 0) + count);
    for (const input of plan.inputs) inputs.add(input);
    for (const pattern of plan.patterns) patterns.add(pattern);
    excluded.push(...plan.excluded);
  }
  await about(file, () => requireApart(all.jobs, inputs));
  return { ...all, skipped, patterns: [...patterns], excluded, inputs };
}

function flagsOf(project: Project, entry: BuildEntry, place: string): PlanFlags {
  const { include, exclude, excludeObjects, format, out, fit, maxError, ...own } = entry;
  return {
    ...BUILD_DEFAULTS,
    ...own,
    ...(excludeObjects !== undefined && { exclude: listOf(excludeObjects) }),
    ...(fit !== undefined && { fit: typeof fit === 'boolean' ? (fit ? 'on' : 'off') : fit }),
    ...(maxError !== undefined && { maxError: String(maxError) }),
    format: listOf(format).includes('all') ? 'all' : listOf(format).join(',') || BUILD_DEFAULTS.format,
    out: projectPath(project, out ?? BUILD_DEFAULTS.out, `${place}.out`),
  } as PlanFlags;
}

const givenBy = (entry: BuildEntry, place: string): Map<string, string> =>
  new Map(Object.keys(entry).map((name) => [name, `${place}.${name}`]));

async function findFiles(project: Project, { include, exclude }: BuildEntry, place: string): Promise<Inputs> {
  const { file, allowOutside } = project;
  const root = join(identityOf(project.folder), sep);
  const files = new Map<string, string>();
  const below = new Map<string, string>();
  const skipped = new Map<string, number>();
  const problems: string[] = [];
  const left = await excluded(project, listOf(exclude), place);
  for (const pattern of listOf(include)) {
    const found = await matchesOf(project, pattern, `${place}.include`);
    if (found.files.length === 0)
      problems.push(`${file}: ${place}.include: ${quoted(pattern)} matches no file that can be built`);
    for (const [ending, count] of found.skipped) skipped.set(ending, (skipped.get(ending) ?? 0) + count);
    for (const path of found.files) {
      const key = identityOf(path);
      if (!allowOutside && !key.startsWith(root))
        throw new InputError(`${path}: a link that leads out of the project's folder; --allow-outside takes it`);
      if (left.has(key) || files.has(key)) continue;
      files.set(key, path);
      below.set(path, found.below.get(path) ?? basename(path));
    }
  }
  if (files.size === 0 && problems.length === 0)
    problems.push(`${file}: ${place}.exclude: leaves no file of what include matches`);
  return { files: [...files.values()], problems, below, skipped };
}

async function matchesOf(project: Project, pattern: string, place: string): Promise<Inputs> {
  const path = projectPath(project, pattern, place);
  if (kindOf(path) !== null) {
    const found = await expandFiles([path], BUILT_ENDINGS, WRITTEN);
    return { ...found, problems: [] };
  }
  const files = await globbed(project, pattern);
  const base = join(project.folder, await baseOf(pattern));
  return {
    files,
    problems: [],
    below: new Map(files.map((found) => [found, relative(base, found)])),
    skipped: new Map(),
  };
}

/** Returns sorted paths, without node_modules and names that begin with a dot. */
async function globbed({ folder }: Project, pattern: string, expandDirectories = false): Promise<string[]> {
  const options = { cwd: folder, expandDirectories, ignore: ['**/node_modules/**'] };
  return (await matching(pattern, options)).map((found) => join(folder, found));
}

/** Returns the pattern's fixed folders: outputs mirror the folders below. */
async function baseOf(pattern: string): Promise<string> {
  const { isDynamicPattern } = await import('tinyglobby');
  const parts = withSlashes(pattern).split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  return parts.slice(0, first < 0 ? -1 : first).join('/');
}

async function excluded(project: Project, patterns: readonly string[], place: string): Promise<Set<string>> {
  const found: string[] = [];
  for (const pattern of patterns) {
    projectPath(project, pattern, `${place}.exclude`);
    found.push(...(await globbed(project, pattern, true)));
  }
  return new Set(found.map(identityOf));
}

interface Owner {
  file: string;
  flags: BuildFlags;
}

/** Refuses outputs that entries write twice, or might: element names are not known yet. */
function requireApart(jobs: readonly BuildJob[], inputs: ReadonlySet<string>): void {
  const owners = new Map<string, string>();
  const elements = new Map<string, Owner>();
  for (const { output, isWhole, ...owner } of outputsOf(jobs)) {
    if (!isWhole) {
      const key = elementStem(output) + extname(output);
      if (!elements.has(key)) elements.set(key, owner);
      continue;
    }
    const key = identityOf(output);
    const other = owners.get(key);
    if (other !== undefined) throw new InputError(`build: ${owner.file} and ${other} would both become ${output}`);
    if (inputs.has(key)) throw new InputError(`build: ${output} would overwrite an input`);
    owners.set(key, owner.file);
  }
  if (elements.size > 0) for (const output of outputsOf(jobs)) requireNoElement(output, elements);
}

type Output = Owner & { output: string; isWhole: boolean };

const outputsOf = (jobs: readonly BuildJob[]): Output[] =>
  jobs.flatMap(({ inputs, flags }) =>
    inputs.flatMap(({ file, outputs, solids }) =>
      outputs.map((output) => ({ output, file, flags, isWhole: solids === undefined })),
    ),
  );

/** An element's path is its file's path, a dot, and its name, so all begin with one stem. */
function requireNoElement({ output, isWhole, file, flags }: Output, elements: ReadonlyMap<string, Owner>): void {
  const stem = elementStem(output);
  for (let end = stem.indexOf('.'); end >= 0; end = stem.indexOf('.', end + 1)) {
    if (isWhole && end === stem.length - 1) continue;
    const other = elements.get(stem.slice(0, end + 1) + extname(output));
    if (other && other.flags !== flags)
      throw new InputError(
        `build: ${file} and an element of ${other.file} might both become ${isWhole ? output : `one of ${output}`}: give one of them another out`,
      );
  }
}
