// What the program is made of, as one number: the bundle has it as a constant, and the cache of builds
// in its keys.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * SHA-256 of all sources of src/, with their names, and of the packages' versions: equal on every
 * machine, since what is generated is left out, and each file has the same ends of lines everywhere.
 *
 * @param {string} root
 */
export function sourcesDigest(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|wgsl)$/.test(file) && !/\.generated\./.test(file))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .sort();
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...files]) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
