/** What of the file system a watch looks at: folders with all that is below, and single files. */
import { statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isTemporary } from '../write-whole.ts';

/** Paths, absolute or from the current folder. */
export interface Wanted {
  /** With all that is below them. */
  folders: Iterable<string>;
  files: Iterable<string>;
}

/** Left out below a folder, as builds leave it out. */
const NOT_WALKED = 'node_modules';

export class Reach {
  /** The folders that are watched for all this, and nothing above them: all of these exist. */
  readonly roots: string[];
  /** The same for what is watched in the same way; a folder that was made anew is another one. */
  readonly signature: string;
  private readonly folders: Set<string>;
  private readonly files: Set<string>;
  /** Folders on the way from a root to what is wanted. */
  private readonly between = new Set<string>();

  /** @param isOutput of a path: whether the watch itself writes it */
  constructor(
    { folders, files }: Wanted,
    private readonly isOutput: (path: string) => boolean,
  ) {
    this.folders = new Set([...folders].map((folder) => resolve(folder)));
    const single = [...new Set([...files].map((file) => resolve(file)))];
    this.files = new Set(single.filter((file) => !this.isBelow(file)));
    const roots = new Set<string>();
    for (const folder of this.folders) roots.add(this.rootOf(folder));
    // A file that is replaced, or made again, is seen by its folder alone.
    for (const file of this.files) roots.add(this.rootOf(dirname(file)));
    this.roots = [...roots].sort();
    const identities = this.roots.map((root) => {
      // Numbers of what is deleted are soon given to others.
      const stat = statSync(root, { throwIfNoEntry: false });
      return [root, stat?.ino, stat?.birthtimeMs];
    });
    this.signature = JSON.stringify([identities, [...this.folders].sort(), [...this.files].sort()]);
  }

  /** Whether a change of this path counts. */
  has(path: string): boolean {
    if (isTemporary(path) || this.isOutput(path)) return false;
    return this.files.has(path) || this.folders.has(path) || this.between.has(path) || this.isBelow(path);
  }

  /** Whether a path lies below one of the folders, and is looked at there. */
  private isBelow(path: string): boolean {
    for (let folder = dirname(path), last = path; folder !== last; last = folder, folder = dirname(folder)) {
      if (!this.folders.has(folder)) continue;
      const names = relative(folder, path).split(sep);
      if (!names.some((name) => name.startsWith('.') || name === NOT_WALKED)) return true;
    }
    return false;
  }

  /** The nearest folder that is there: what is missing is seen when it comes. */
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
