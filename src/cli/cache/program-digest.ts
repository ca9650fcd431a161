/**
 * The program's own identity for the keys of the cache: a program that was changed and has the same
 * version shares no entry with the one before.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../version.ts';

/** The bundle has a digest of its sources' bytes here: scripts/bundle-package.mjs. */
declare const PROGRAM_DIGEST: string | undefined;

/** 64 hexadecimal digits. */
export const programDigest = (): string =>
  typeof PROGRAM_DIGEST === 'string' ? PROGRAM_DIGEST : (ofModules ??= digestOfModules());

let ofModules: string | undefined;

/** Folders of dist that hold copies of the program. */
const COPIES = /^(package|test-.*)$/;

/** Of a program that runs file by file, as its developers run it: of all modules that it may load. */
function digestOfModules(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const hash = createHash('sha256').update(VERSION);
  const visit = (folder: string): void => {
    const items = readdirSync(folder, { withFileTypes: true });
    for (const item of items.sort((p, q) => (p.name < q.name ? -1 : 1))) {
      const path = join(folder, item.name);
      if (item.isDirectory() && !(folder === root && COPIES.test(item.name))) visit(path);
      else if (/(?<!\.d)\.[jt]s$/.test(item.name)) hash.update(item.name).update(readFileSync(path));
    }
  };
  visit(root);
  return hash.digest('hex');
}
