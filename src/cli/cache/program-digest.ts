/**
 * Identifies the program for the cache's keys, so that a changed program of the same version shares
 * no entries.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from '../../base/require.ts';
import { VERSION } from '../../version.ts';

/** scripts/bundle-package.mjs puts a digest of the sources here. */
declare const PROGRAM_DIGEST: string | undefined;

/** Returns 64 hexadecimal digits. */
export const programDigest = (): string => (typeof PROGRAM_DIGEST === 'string' ? PROGRAM_DIGEST : ofModules());

const ofModules = once(digestOfModules);
/** Folders of dist with copies of the program. */
const COPIES = /^(package|test-.*)$/;

/** For development, where the program runs file by file: digests all modules that it may load. */
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
