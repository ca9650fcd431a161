/** The scope of a watch, from its arguments: folders with everything below, and single files. */
import { statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isTemporary } from '../atomic-write.ts';
import { kindOf } from '../inputs/name.ts';

/** Paths, absolute or from the current folder. */
export interface Wanted {
  folders: Iterable<string>;
  files: Iterable<string>;
}

/** Skipped below folders, as in builds. */
const NOT_WALKED = 'node_modules';

export class Reach {
  /** The watched folders and nothing above them; all exist. */
  readonly roots: string[];
  /** Equal for equal watches; a recreated folder counts as a different one. */
  readonly signature: string;
  private readonly folders: Set<string>;
  private readonly files: Set<string>;
  /** Folders between a root and the wanted paths. */
  private readonly between = new Set<string>();

  constructor(
    { folders, files }: Wanted,
    private readonly isOutput: (path: string) => boolean,
  ) {
    this.folders = new Set([...folders].map((folder) => resolve(folder)));
    const single = [...new Set([...files].map((file) => resolve(file)))];
    this.files = new Set(single.filter((file) => !this.isBelow(file)));
    const roots = new Set<string>();
    for (const folder of this.folders) roots.add(this.rootOf(folder));
    // Replaced or recreated files are visible only through their folder.
    for (const file of this.files) roots.add(this.rootOf(dirname(file)));
    this.roots = [...roots].sort();
    const identities = this.roots.map((root) => {
      // Inode numbers are soon reused after deletion.
      const stat = statSync(root, { throwIfNoEntry: false });
      return [root, stat?.ino, stat?.birthtimeMs];
    });
    this.signature = JSON.stringify([identities, [...this.folders].sort(), [...this.files].sort()]);
  }

  has(path: string): boolean {
    if (isTemporary(path) || this.isOutput(path)) return false;
    return this.files.has(path) || this.folders.has(path) || this.between.has(path) || this.isBelow(path);
  }

  /** True if a path is below one of the folders, and is not skipped there. */
  private isBelow(path: string): boolean {
    for (let folder = dirname(path), last = path; folder !== last; last = folder, folder = dirname(folder)) {
      if (!this.folders.has(folder)) continue;
      const names = relative(folder, path).split(sep);
      if (!names.some((name) => name.startsWith('.') || name === NOT_WALKED)) return true;
    }
    return false;
  }

  /** Returns the nearest existing folder, which sees a missing one appear. */
  private rootOf(folder: string): string {
    let root = folder;
    while (!isFolder(root) && dirname(root) !== root) {
      this.between.add(root);
      root = dirname(root);
    }
    this.between.add(root);
    return root;
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

const MAGIC = /[*?[\]{}()!+@]/;

/** @param args files, folders, and patterns, which may match more files later */
export function placesOf(args: Iterable<string>): Wanted {
  const folders: string[] = [];
  const files: string[] = [];
  for (const arg of args) {
    const kind = kindOf(arg);
    if (kind === 'folder') folders.push(arg);
    else if (kind === null && MAGIC.test(arg)) folders.push(baseOf(arg));
    else files.push(arg);
  }
  return { folders, files };
}

/** Returns the folder above all possible matches of a pattern. */
function baseOf(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => MAGIC.test(part));
  return dirname([...parts.slice(0, first), 'x'].join('/'));
}
