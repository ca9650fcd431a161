/** A project file on disk, with paths as from the current folder. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InputError } from '../math/errors.ts';
import { type ProjectModel, readProject } from '../project/model.ts';
import { explain, kindOf, PROJECT_FILE, pathBelow } from './files.ts';
import { about } from './inputs.ts';

export interface ProjectFlags {
  /** The project file. */
  project?: string;
  allowOutside?: boolean;
}

export interface Project {
  file: string;
  /** What the paths in it are relative to. */
  folder: string;
  model: ProjectModel;
  allowOutside: boolean;
  /** Of the cache, as from the current folder; that of the user where it is not said. */
  cacheFolder?: string;
}

/**
 * Reads the project that a command is about when it is given no files.
 *
 * @param needed what else could have been given, for the message
 * @throws InputError where there is none, or it is not of the language
 */
export async function openProject({ project, allowOutside = false }: ProjectFlags, needed: string): Promise<Project> {
  const file = project ?? PROJECT_FILE;
  if (project === undefined && kindOf(file) === null)
    throw new InputError(`expected ${needed}, or ${PROJECT_FILE} in this folder; --project names another`);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw explain(file, error);
  }
  const model = await about(file, () => readProject(bytes));
  const found: Project = { file, folder: dirname(file), model, allowOutside };
  const own = model.cache?.folder;
  return own === undefined ? found : { ...found, cacheFolder: projectPath(found, own, 'cache.folder') };
}

/** The project of this folder, where there is one. */
export const projectHere = (): Promise<Project | null> =>
  kindOf(PROJECT_FILE) === null ? Promise.resolve(null) : openProject({}, PROJECT_FILE);

/** A path of a project file as from the current folder. @param place where it stands */
export function projectPath({ file, folder, allowOutside }: Project, path: string, place: string): string {
  if (allowOutside) return join(folder, path);
  try {
    return pathBelow(path, folder);
  } catch (error) {
    throw new InputError(`${file}: ${place}: ${(error as Error).message}; --allow-outside takes others`);
  }
}

/** A list, where one alone may stand for it. */
export const listOf = (one: string | string[] | undefined): string[] => (one === undefined ? [] : [one].flat());
