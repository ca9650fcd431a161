/** What a run of `gicollide build` has to do: its inputs, their outputs, a job for each. */
import { basename } from 'node:path';
import { OptionError } from '../../math/errors.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import { builtKinds, builtKindsInWords, kindsWithOption } from '../../representations/builders.ts';
import { exponentOf } from '../../representations/gi/tree/geometry-image.ts';
import { KINDS } from '../../representations/kinds.ts';
import { kindNamed } from '../../representations/registry.ts';
import { expandFiles, extensionOf, identityOf, MODEL } from '../files.ts';
import { nameOf, type Session } from '../inputs.ts';
import type { BuildFlags, BuildJob } from './job.ts';
import { planOutputs } from './outputs.ts';

/** Where assets go, and of which formats. */
export interface PlanFlags extends BuildFlags {
  /** A comma list, or `all`. */
  format: string;
  out: string;
  flat?: boolean;
}

export interface BuildPlan {
  jobs: BuildJob[];
  /** An argument that names nothing, a line each. */
  problems: string[];
  /** Files of folders that are left out: how many there are of each ending. */
  skipped: ReadonlyMap<string, number>;
  /** Identities of all inputs. */
  inputs: ReadonlySet<string>;
}

/** What models become, which no mesh does. */
const FREP = 'frep';

/**
 * Endings of what build writes: what an earlier run left in a folder is no file that was forgotten.
 */
const WRITTEN = KINDS.map(({ extension }) => extension);

/**
 * @param given the options that somebody wrote, as there, by their names in the library
 * @throws OptionError for options that make no sense; InputError where an output would overwrite
 *   an input, or another output
 */
export async function planBuild(
  args: readonly string[],
  flags: PlanFlags,
  given: ReadonlyMap<string, string>,
  session: Session,
): Promise<BuildPlan> {
  const formats = parseFormats(flags.format);
  if (flags.size !== 'auto' && exponentOf(flags.size) < 0) {
    throw new OptionError(`--size ${flags.size}: expected 17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193 or auto`);
  }
  const { files: all, problems, below, skipped } = await expandFiles(args, [...MESH_ENDINGS, MODEL], WRITTEN);
  const isModel = (file: string): boolean => extensionOf(nameOf(file, session)) === MODEL;
  const models = all.filter(isModel);
  const files = all.filter((file) => !isModel(file));
  if (files.length > 0 || models.length === 0) {
    refuseUnbuilt(given, formats, `-f ${flags.format}`);
  } else refuseUnbuilt(given, [FREP], 'a .frep.json becomes a .frep');
  const isSplit = flags.split !== undefined;
  const several = all.length + problems.length > 1 || (files.length > 0 && (formats.length > 1 || isSplit));
  const plan = (inputs: string[], format: string): string[] => {
    const names = inputs.map((file) => (!flags.flat && below.get(file)) || basename(nameOf(file, session)));
    return inputs.length > 0 ? planOutputs(inputs, names, flags.out, kindNamed(format).extension, several) : [];
  };
  const outputs = formats.map((format) => plan(files, format));
  const modelOutputs = plan(models, FREP);
  const solids = isSplit ? plan(files, FREP) : [];
  const ofModels = models.map((file, i): BuildJob => {
    return { kind: 'model', inputs: [{ file, outputs: [modelOutputs[i]] }], formats: [FREP], flags };
  });
  const ofMeshes = files.map((file, i) => ({
    file,
    outputs: outputs.map((list) => list[i]),
    ...(isSplit && { solids: solids[i] }),
  }));
  const groups = isSplit ? [ofMeshes] : ofMeshes.map((input) => [input]);
  const jobs = groups
    .filter((group) => group.length > 0)
    .map((group): BuildJob => ({ kind: 'mesh', inputs: group, formats, flags }));
  return { jobs: [...ofModels, ...jobs], problems, skipped, inputs: new Set(files.map(identityOf)) };
}

/** Throws OptionError for an option of kinds none of which is built. */
function refuseUnbuilt(given: ReadonlyMap<string, string>, built: readonly string[], asked: string): void {
  for (const [name, flag] of given) {
    const owners = kindsWithOption(name);
    if (owners.length === 0 || owners.some((owner) => built.includes(owner))) continue;
    throw new OptionError(`${flag}: an option of ${owners.join(' and ')}, which is not built (${asked})`);
  }
}

/** The kinds that a comma list names; `all` names every one that meshes can become. */
function parseFormats(list: string): readonly string[] {
  if (list === 'all') return builtKinds();
  return [...new Set(list.split(','))].map((name) => {
    const kind = name.trim();
    if (kind === FREP)
      throw new OptionError('--format frep: a mesh is no function; a .frep.json becomes one by itself');
    if (builtKinds().includes(kind)) return kind;
    throw new OptionError(`--format ${name}: expected ${builtKindsInWords()}, a list of them, or all`);
  });
}
