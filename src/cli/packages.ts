/**
 * Where files lie that a mesh file names: in its folder or below; of a robot, in packages of ROS. A
 * package is a folder with a package.xml. The one that a file lies in is found by itself, and the
 * file may name whatever is in it; others are known by --package.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import { quoted } from '../readers/json-messages.ts';
import { liesBelow, pathBelow } from './files.ts';

const PACKAGE = 'package://';
/** Folders that are looked at for a package.xml, from a file's own upwards. */
const MOST_FOLDERS = 64;

export interface PlaceOptions {
  /** Folders by the packages' names. */
  packages?: ReadonlyMap<string, string> | undefined;
  /** Whether files may lie anywhere. */
  allowOutside?: boolean | undefined;
}

/**
 * The place of a file.
 *
 * @param path as the other file names it
 * @param file the other one
 * @throws InputError unless it lies where it may, by the path and by where links lead
 */
export function placeBeside(path: string, file: string, { packages, allowOutside = false }: PlaceOptions): string {
  if (path.startsWith(PACKAGE)) return inPackage(path, file, packages ?? new Map());
  const own = dirname(file);
  const asUrl = path.startsWith('file://');
  const isUp = asUrl || isAbsolute(path) || path.split(/[\\/]/).includes('..');
  if (!isUp) return pathBelow(path, own);
  const place = asUrl ? pathOfUrl(path) : resolve(own, path);
  const root = packageOf(file)?.folder ?? own;
  if (path.includes('\0') || !(allowOutside || liesBelow(place, root)))
    throw new InputError(`expected a file below ${printable(root)}, found ${quoted(path)}`);
  return place;
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new InputError(`expected the URL of a file, found ${quoted(url)}`);
  }
}

/** package://name/path: below the folder of the package, whoever asks. */
function inPackage(url: string, file: string, packages: ReadonlyMap<string, string>): string {
  const [, name, path] = /^([^/]+)\/+(.+)$/.exec(url.slice(PACKAGE.length)) ?? [];
  if (!path) throw new InputError(`expected package://name/path, found ${quoted(url)}`);
  const own = packageOf(file);
  const folder = packages.get(name) ?? (own?.names.includes(name) ? own.folder : undefined);
  if (folder === undefined)
    throw new InputError(`no folder of package ${quoted(name)} is known; --package name=dir says it`);
  return pathBelow(path, folder);
}

/** The package that a file lies in: the nearest folder above it that has a package.xml. */
function packageOf(file: string): { folder: string; names: string[] } | null {
  let folder = dirname(resolve(file));
  for (let n = 0; n < MOST_FOLDERS; n++) {
    const about = join(folder, 'package.xml');
    if (existsSync(about)) {
      const [, own = ''] = /<name>([^<]*)<\/name>/.exec(readFileSync(about, 'utf8')) ?? [];
      return { folder, names: [own.trim(), basename(folder)] };
    }
    if (dirname(folder) === folder) return null;
    folder = dirname(folder);
  }
  return null;
}
