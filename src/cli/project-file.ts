/** Reads a project file; paths become relative to the current folder. */
import { dirname, isAbsolute, join } from 'node:path';
import { InputError } from '../base/errors.ts';
import { quoted } from '../base/printable.ts';
import { type ProjectModel, readProject } from '../project/project-file.ts';
import { ANYWHERE, kindOf, type NamedPlace, PROJECT_FILE, pathBelow, placeIn, requirePath } from './inputs/name.ts';
import { openInput, readNamed } from './inputs/open.ts';
import { about } from './session.ts';

export interface ProjectFlags {
  project?: string;
  allowOutside?: boolean;
}

export interface Project {
  file: string;
  /** Base of the paths in it. */
  folder: string;
  model: ProjectModel;
  allowOutside: boolean;
  /** Allowed places of files that it names. */
  named: NamedPlace;
  /** The cache, relative to the current folder; absent for the user's cache. */
  cacheFolder?: string;
}

/** @param needed the alternative to a project, for the message */
export async function openProject({ project, allowOutside = false }: ProjectFlags, needed: string): Promise<Project> {
  const file = project ?? PROJECT_FILE;
  if (project === undefined && kindOf(file) === null)
    throw new InputError(`expected ${needed}, or ${PROJECT_FILE} in this folder; --project names another`);
  const bytes = project === undefined ? readNamed(file, ANYWHERE) : openInput(file).bytes();
  const model = await about(file, () => readProject(bytes));
  const folder = dirname(file);
  const named = placeIn(folder, "the project's folder", { allowOutside });
  const found: Project = { file, folder, model, allowOutside, named };
  const own = model.cache?.folder;
  return own === undefined ? found : { ...found, cacheFolder: projectPath(found, own, 'cache.folder') };
}

export const projectHere = (): Promise<Project | null> =>
  kindOf(PROJECT_FILE) === null ? Promise.resolve(null) : openProject({}, PROJECT_FILE);

/** Makes a project's path relative to the current folder. @param place its key, for messages */
export function projectPath({ file, folder, allowOutside }: Project, path: string, place: string): string {
  const refuse = (problem: string): never => {
    throw new InputError(`${file}: ${place}: ${problem}`);
  };
  const attempt = (work: () => string, advice = ''): string => {
    try {
      return work();
    } catch (error) {
      return refuse(`${(error as Error).message}${advice}`);
    }
  };
  attempt(() => requirePath(path));
  const found = allowOutside
    ? isAbsolute(path)
      ? path
      : join(folder, path)
    : attempt(() => pathBelow(path, folder), '; --allow-outside allows it');
  // Writing to a pipe would wait for a reader.
  if (kindOf(found) === 'device') refuse(`expected a file or a folder, found a pipe or a device, ${quoted(path)}`);
  return found;
}

export const listOf = (one: string | string[] | undefined): string[] => (one === undefined ? [] : [one].flat());
