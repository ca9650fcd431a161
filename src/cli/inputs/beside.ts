/**
 * Locates and reads the files that a mesh file references: in its folder or below, or for robots in ROS
 * packages. A package is a folder with a package.xml. The package of the file itself is found
 * automatically, and the file may reference anything in it; --package adds others.
 */
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../math/errors.ts';
import { printable, quoted } from '../../math/printable.ts';
import type { Session } from '../session.ts';
import { isWithin, kindOf, type NamedPlace, pathBelow, placeIn, requirePath, STDIN } from './name.ts';
import { MOST_NAMED, namedInput, readNamed } from './open.ts';

const PACKAGE = 'package://';
/** Folders searched for a package.xml, from a file's own upwards. */
const MOST_FOLDERS = 64;

const LARGEST_PACKAGE = 2 ** 20;

export interface PlaceOptions {
  /** Folders by the names of packages. */
  package?: ReadonlyMap<string, string> | undefined;
  allowOutside?: boolean | undefined;
}

export interface BesideFile {
  path: string;
  place: NamedPlace;
}

/** @throws InputError unless it is in an allowed place, also with links resolved */
export function placeBeside(path: string, file: string, options: PlaceOptions): BesideFile {
  const { allowOutside = false } = options;
  if (path.startsWith(PACKAGE)) return inPackage(path, file, options);
  const own = dirname(file);
  const asUrl = path.startsWith('file://');
  const isUp = asUrl || isAbsolute(path) || path.split(/[\\/]/).includes('..');
  if (!isUp) return beside(path, own, allowOutside);
  const found = asUrl ? pathOfUrl(path) : resolve(own, requirePath(path));
  const root = allowOutside ? own : (packageOf(file, options)?.folder ?? own);
  const place = placeIn(root, 'its folder', { allowOutside });
  if (!isWithin(found, place))
    throw new InputError(
      `expected a file below ${printable(root)}, found ${quoted(path)}; --allow-outside reads others`,
    );
  return { path: found, place };
}

function beside(path: string, folder: string, allowOutside: boolean): BesideFile {
  const place = placeIn(folder, 'its folder', { allowOutside });
  requirePath(path);
  if (allowOutside) return { path: join(folder, path), place };
  try {
    return { path: pathBelow(path, folder), place };
  } catch (error) {
    throw new InputError(`${(error as Error).message}; --allow-outside reads others`);
  }
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new InputError(`expected the URL of a file, found ${quoted(url)}`);
  }
}

/** Resolves package://name/path: always below the package's folder, whatever is allowed. */
function inPackage(url: string, file: string, options: PlaceOptions): BesideFile {
  const [, name, path] = /^([^/]+)\/+(.+)$/.exec(url.slice(PACKAGE.length)) ?? [];
  if (!path) throw new InputError(`expected package://name/path, found ${quoted(url)}`);
  const given = options.package?.get(name);
  const own = given === undefined ? packageOf(file, options) : null;
  const folder = given ?? (own?.names.includes(name) ? own.folder : undefined);
  if (folder === undefined)
    throw new InputError(`no folder of package ${quoted(name)} is known; --package name=dir says it`);
  return { path: pathBelow(path, folder), place: placeIn(folder, 'its package') };
}

/** Finds the nearest folder above a file with a package.xml. */
function packageOf(file: string, { allowOutside = false }: PlaceOptions): { folder: string; names: string[] } | null {
  let folder = dirname(resolve(file));
  for (let n = 0; n < MOST_FOLDERS; n++) {
    const about = join(folder, 'package.xml');
    if (kindOf(about) !== null) {
      const place = placeIn(folder, 'its folder', { allowOutside });
      const text = new TextDecoder().decode(readNamed(about, { ...place, largest: LARGEST_PACKAGE }));
      const [, own = ''] = /<name>([^<]*)<\/name>/.exec(text) ?? [];
      return { folder, names: [own.trim(), basename(folder)] };
    }
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return null;
}

/** Returns a function that reads referenced files, whose total size has the limit of one file. */
export function openerBeside(file: string, { global, opened, beside }: Session): (path: string) => Uint8Array {
  if (beside) return (path) => heldBeside(path, beside);
  const { maxBytes = MOST_NAMED } = global;
  let left = maxBytes;
  return (path) => {
    if (file === STDIN)
      throw new InputError(`expected a file that names no other, found ${quoted(path)} in it; stdin has no folder`);
    const { path: found, place } = placeBeside(path, file, global);
    opened?.(found);
    const { source, bytes } = namedInput(found, { ...place, maxBytes });
    left -= source.size;
    if (left < 0) {
      source.close?.();
      throw new InputError(
        `${found}: expected files of at most ${maxBytes} bytes together; --max-bytes takes another limit`,
      );
    }
    return bytes();
  };
}

function heldBeside(path: string, beside: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const bytes = beside.get(path);
  if (!bytes) throw new InputError(`expected a file that came along, found ${quoted(path)}`);
  return bytes;
}
