/** Locates the cache of builds, and marks its folder. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { codeOf, explain, identityOf, placeIn } from '../inputs/name.ts';
import { readNamed } from '../inputs/open.ts';

/** A folder; `isNamed` if it was named for this program. */
export interface Place {
  folder: string;
  isNamed: boolean;
}

interface System {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string | null;
}

/** Returns the named folder, else GICOLLIDE_CACHE_DIR, else the user's; null if there is none. */
export function placeOf(asked: string | undefined, system = thisSystem()): Place | null {
  const { env, platform, home } = system;
  const named = asked ?? (env.GICOLLIDE_CACHE_DIR || undefined);
  if (named !== undefined) return { folder: identityOf(named), isNamed: true };
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  // XDG's own rule: ignore a path that is not absolute.
  const usable = (path: string | null | undefined): path is string => !!path && isAbsolute(path);
  const place = (...parts: string[]): Place => ({ folder: join(...parts), isNamed: false });
  if (usable(env.XDG_CACHE_HOME)) return place(env.XDG_CACHE_HOME, 'gicollide');
  if (platform === 'win32') return usable(env.LOCALAPPDATA) ? place(env.LOCALAPPDATA, 'gicollide', 'cache') : null;
  if (!usable(home)) return null;
  return platform === 'darwin' ? place(home, 'Library', 'Caches', 'gicollide') : place(home, '.cache', 'gicollide');
}

function thisSystem(): System {
  const { env, platform } = process;
  try {
    return { env, platform, home: homedir() };
  } catch {
    return { env, platform, home: null }; // a user whom the system does not know
  }
}

/** The file that marks a folder as a cache and names its layout. */
export const MARKER = 'gicollide-cache.json';
export const MARK = `${JSON.stringify({ gicollide: 'cache/1' })}\n`;

const LARGEST_MARKER = 4096;

/** @throws InputError for a marker of another layout, and if the folder cannot be read */
export function isCache(folder: string): boolean {
  const marker = join(folder, MARKER);
  let text: string;
  try {
    if (!statSync(folder).isDirectory()) throw new InputError(`${folder}: expected a folder, found a file`);
    text = new TextDecoder().decode(readNamed(marker, { ...placeIn(folder, 'its folder'), largest: LARGEST_MARKER }));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw explain(marker, error);
  }
  if (text.trim() === MARK.trim()) return true;
  throw new InputError(`${marker}: expected ${MARK.trim()}, found ${printable(JSON.stringify(text.slice(0, 60)))}`);
}
