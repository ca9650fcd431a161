/**
 * Checks whether the project outputs that a scene uses are up to date, so that no scene passes on
 * assets with changed sources.
 *
 * If the source is absent, the output is `unknown`: machines with only the outputs can check them,
 * and the summary counts them. The loader of an output verifies its checksum.
 */
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { inOrder } from '../../base/ordered-concurrency.ts';
import { counted, printable } from '../../base/printable.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import { extensionOf, identityOf, isSameFile, kindOf, MODEL, PROJECT_FILE } from '../inputs/name.ts';
import { digestByPointer, fileDigest } from '../inputs/open.ts';
import type { Project, ProjectFlags } from '../project-file.ts';
import type { Session } from '../session.ts';
import { printError } from '../terminal.ts';
import type { Digests } from './fresh.ts';
import { BUILD_DEFAULTS, type BuildJob, type CachePlace } from './job.ts';
import { elementStem } from './outputs.ts';

export const STALE = ['error', 'ok'] as const;

export interface UsedFlags extends ProjectFlags {
  /** `error` fails a scene that uses a stale output; `ok` accepts it. */
  stale?: (typeof STALE)[number];
  build?: boolean;
}

/** Counts of the outputs that a scene uses; they add up to all that exist. */
export interface OutputCounts {
  fresh: number;
  stale: number;
  /** Outputs with an absent source. */
  unknown: number;
}

interface Maker {
  job: BuildJob;
  file: string;
  output: string;
  format: string;
}

interface Plan {
  project: Project;
  /** Places of outputs: folders, which end with a slash, and files. */
  places: string[];
  whole: Map<string, Maker>;
  /** By the places without case, for case-insensitive file systems. */
  folded: Map<string, Maker>;
  /** By the prefix and the extension of elements' outputs. */
  split: Map<string, Maker>;
}

/** A file that a scene uses, and its possible makers; none if the source is absent. */
interface Use {
  path: string;
  makers: Maker[];
}

type Found = { use: Use; status: 'fresh' | 'unknown' | 'missing' } | { use: Use; status: 'stale'; reason: string };

const AT_ONCE = 8;
const MOST_SHOWN = 3;

export class UsedOutputs {
  private readonly plans = new Map<string, Promise<Plan>>();
  private readonly known = new Map<string, Found>();
  private readonly hints = new Map<string, string>();
  private readonly placeOf = placer();

  /** @param digests of sources; each source is read once unless given */
  constructor(
    private readonly flags: UsedFlags,
    private readonly digests: Digests = digestsOnce(),
  ) {}

  /** Returns a session that checks the files of each input before they are read. */
  heardBy(session: Session): Session {
    return {
      ...session,
      opened: (path) => {
        session.opened?.(path);
        const hint = this.hints.get(this.placeOf(path));
        if (hint !== undefined && kindOf(path) === null) throw new InputError(`${path}: no such file: ${hint}`);
      },
      uses: (folder, paths) => this.look(folder, paths, session),
    };
  }

  facts(): { outputs?: OutputCounts } {
    const outputs: OutputCounts = { fresh: 0, stale: 0, unknown: 0 };
    for (const { status } of this.known.values()) if (status !== 'missing') outputs[status]++;
    return outputs.fresh + outputs.stale + outputs.unknown > 0 ? { outputs } : {};
  }

  /** Says how to build outputs that are stale or missing. */
  advice(): string[] {
    const { build = false } = this.flags;
    const due = [...this.known.values()].filter(({ status }) => status === 'stale' || status === 'missing').length;
    if (build || due === 0) return [];
    return [`${counted(due, 'output')} stale or missing: --build builds ${due === 1 ? 'it' : 'them'} first`];
  }

  /** Checks files that a scene of this folder uses; with --build, builds missing or stale ones. */
  private async look(folder: string, paths: readonly string[], session: Session): Promise<void> {
    const { stale: mode = 'error', build = false } = this.flags;
    const assets = paths.filter((path) => !isSource(path) && !this.known.has(this.placeOf(path)));
    const file = assets.length > 0 ? (this.flags.project ?? projectAbove(folder)) : null;
    if (file === null) return;
    let found: Found[];
    try {
      const plan = await this.planOf(file, assets, session);
      if (plan === null) return;
      const uses = usesOf(plan, assets, this.placeOf);
      for (const { path, makers } of uses) {
        if (makers.length > 0) this.hints.set(this.placeOf(path), commandFor(file));
        for (const { file } of makers) session.opened?.(file);
      }
      if (uses.length > 0) session.opened?.(file);
      found = await foundOf(uses, this.digests, session);
      if (build && (await buildUsed(found, plan.project, session))) found = await foundOf(uses, this.digests, session);
    } catch (error) {
      if (mode !== 'ok' || !(error instanceof InputError)) throw error;
      session.log.warn(`--stale ok: ${error.message}`);
      return;
    }
    for (const each of found) this.known.set(this.placeOf(each.use.path), each);
    const advice = build ? 'they cannot be built' : `${commandFor(file)}; ${OTHER_WAYS}`;
    if (mode !== 'ok') requireFresh(found, advice);
  }

  /** Returns the plan of a project; null if none of the files is at a place of its outputs. */
  private async planOf(file: string, paths: readonly string[], session: Session): Promise<Plan | null> {
    const { build = false, allowOutside = false } = this.flags;
    // Loads zod, which a scene without a project does not need.
    const { openProject, projectPath } = await import('../project-file.ts');
    // Outputs are only inspected, so paths outside are harmless.
    const project = await openProject({ project: file, allowOutside: allowOutside || !build }, PROJECT_FILE);
    const places = (project.model.build ?? []).flatMap(({ out = BUILD_DEFAULTS.out }, i) => {
      const place = this.placeOf(projectPath(project, out, `build[${i}].out`));
      const below = join(identityOf(place), sep);
      const kind = kindOf(place);
      // Before the first build it may become a file or a folder.
      return kind === null ? [place, below] : [kind === 'folder' ? below : place];
    });
    if (!paths.some((path) => placesOf(path, this.placeOf).some((place) => liesIn(place, places)))) return null;
    let plan = this.plans.get(file);
    if (!plan) {
      plan = makersOf(project, places, this.placeOf, session);
      this.plans.set(file, plan);
    }
    return plan;
  }
}

/** True if the extension is that of a mesh or a model, which no output has. */
function isSource(path: string): boolean {
  const ending = extensionOf(path);
  return ending === MODEL || MESH_ENDINGS.includes(ending);
}

/**
 * Digests each source once. Stamps of sizes and times would save little: for 1,000 props of 2,000
 * triangles, 63 MB, digests take 0.09 s of CPU time, the scene 3.4 s. A Git LFS pointer has the
 * digest of its file.
 */
function digestsOnce(): Digests {
  const known = new Map<string, Promise<string>>();
  return {
    get(file, options) {
      if (!known.has(file) && kindOf(file) === 'file') {
        try {
          known.set(file, Promise.resolve(digestByPointer(file, options) ?? fileDigest(file, options)));
        } catch {
          return undefined; // who reads it says why
        }
      }
      return known.get(file);
    },
    set: (file, digest) => known.set(file, digest),
  };
}

/** Finds the nearest project file in a folder or above, relative to the current folder. */
function projectAbove(folder: string): string | null {
  for (let at = resolve(folder), last = ''; at !== last; last = at, at = dirname(at)) {
    const file = join(at, PROJECT_FILE);
    if (kindOf(file) === 'file') return relative('', file);
  }
  return null;
}

type PlaceOf = (path: string) => string;

/** Gives a file one name, whichever links lead to its folder. The file itself may be a link. */
function placer(): PlaceOf {
  const folders = new Map<string, string>();
  return (path) => {
    const full = resolve(path);
    const folder = dirname(full);
    let place = folders.get(folder);
    if (place === undefined) folders.set(folder, (place = identityOf(folder)));
    return join(place, basename(full));
  };
}

const placesOf = (path: string, placeOf: PlaceOf): string[] => [...new Set([placeOf(path), identityOf(path)])];

const liesIn = (place: string, places: readonly string[]): boolean =>
  places.some((one) => (one.endsWith(sep) ? place.startsWith(one) : place === one));

async function makersOf(project: Project, places: string[], placeOf: PlaceOf, session: Session): Promise<Plan> {
  const { planProject } = await import('./project.ts');
  const { jobs } = await planProject(project, session);
  const plan: Plan = { project, places, whole: new Map(), folded: new Map(), split: new Map() };
  for (const job of jobs) {
    for (const { file, outputs, solids } of job.inputs) {
      const makers = outputs.map((output, k): Maker => ({ job, file, output, format: job.formats[k] }));
      if (solids === undefined) for (const maker of makers) plan.whole.set(placeOf(maker.output), maker);
      else
        for (const maker of [...makers, { job, file, output: solids, format: 'frep' }])
          plan.split.set(elementStem(placeOf(maker.output)) + extname(maker.output), maker);
    }
  }
  for (const [place, maker] of plan.whole) plan.folded.set(place.toLowerCase(), maker);
  return plan;
}

function usesOf(plan: Plan, paths: readonly string[], placeOf: PlaceOf): Use[] {
  const uses = new Map<string, Use>();
  for (const path of paths) {
    const all = placesOf(path, placeOf);
    const makers = all.map((place) => makersAt(place, plan)).find(({ length }) => length > 0) ?? [];
    if (makers.length > 0 || all.some((place) => liesIn(place, plan.places))) uses.set(all[0], { path, makers });
  }
  return [...uses.values()];
}

function makersAt(place: string, { whole, folded, split }: Plan): Maker[] {
  const maker = whole.get(place);
  if (maker) return [maker];
  const other = folded.get(place.toLowerCase());
  return other && isSameFile(other.output, place) ? [other] : elementMakers(place, split);
}

/** An element's path is its file's path, a dot, and its name. Only the header tells which dot. */
function elementMakers(place: string, split: ReadonlyMap<string, Maker>): Maker[] {
  if (split.size === 0) return [];
  const makers: Maker[] = [];
  const stem = elementStem(place);
  for (let end = stem.indexOf('.'); end >= 0 && end < stem.length - 1; end = stem.indexOf('.', end + 1)) {
    const maker = split.get(stem.slice(0, end + 1) + extname(place));
    if (maker) makers.push(maker);
  }
  return makers;
}

/** Judges each use; skips files that `gicollide build` did not make. */
async function foundOf(uses: readonly Use[], digests: Digests, session: Session): Promise<Found[]> {
  const all: Found[] = [];
  let next = 0;
  for await (const found of inOrder(
    async () => uses[next++] ?? null,
    (use) => foundOne(use, digests, session),
    () => AT_ONCE,
  ))
    if (found) all.push(found);
  return all;
}

async function foundOne(use: Use, digests: Digests, session: Session): Promise<Found | null> {
  const { path, makers } = use;
  const { isBuilt, whyStale } = await import('./fresh.ts');
  if (kindOf(path) === null) return makers.length > 0 ? { use, status: 'missing' } : null;
  if (makers.length === 0) return (await isBuilt(path)) ? { use, status: 'unknown' } : null;
  let reason = '';
  for (const { file, format, job } of makers) {
    try {
      const why = await whyStale({ file, output: path, format }, job.flags, digests, session);
      if (why === null) return { use, status: 'fresh' };
      reason ||= why;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { use, status: 'unknown' };
    }
  }
  return { use, status: 'stale', reason };
}

async function buildUsed(found: readonly Found[], project: Project, session: Session): Promise<boolean> {
  const due = found.filter(({ status }) => status === 'missing' || status === 'stale');
  const jobs = [...new Set(due.flatMap(({ use }) => use.makers.map(({ job }) => job)))];
  if (jobs.length === 0) return false;
  const [{ runBuilds }, { openCache }, { textOf }] = await Promise.all([
    import('./run-builds.ts'),
    import('../cache/cache.ts'),
    import('./lines.ts'),
  ]);
  const place: CachePlace = project.cacheFolder === undefined ? {} : { folder: project.cacheFolder };
  const cache = await openCache({ folder: place.folder, log: session.log });
  const inputs = new Set(jobs.flatMap((job) => job.inputs.map(({ file }) => identityOf(file))));
  const run = { inputs, measures: false, ...(cache && { cache: place }) };
  for await (const record of runBuilds(jobs, { run, cache, jobs: project.model.jobs }, session)) {
    if (record.status === 'failed') printError(record.message, session.global);
    else if ('size' in record) session.log.info(textOf(record, { isVerbose: false }));
  }
  return true;
}

function requireFresh(found: readonly Found[], advice: string): void {
  const stale = found.flatMap((one) => (one.status === 'stale' ? [one] : []));
  if (stale.length === 0) return;
  const shown = stale.slice(0, MOST_SHOWN).map(({ use, reason }) => `${printable(use.path)} (${reason})`);
  const more = stale.length > MOST_SHOWN ? [`${stale.length - MOST_SHOWN} more`] : [];
  const list = [...shown, ...more].join(', ');
  throw new InputError(`stale: ${list}: ${advice}`);
}

const OTHER_WAYS = '--build does it first, --stale ok checks them as they are';

const commandFor = (file: string): string =>
  `run gicollide build${file === PROJECT_FILE ? '' : ` --project ${printable(file)}`}`;
