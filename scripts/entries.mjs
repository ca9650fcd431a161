// Entries of the package: package.json's exports, and the program. package.json is the only list of
// subpaths: `types` gives the module of src, `default` the name of the bundle.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const TYPES = './dist/package/types/';
const CODE = './dist/package/lib/';

/** @typedef {{ types: string, default: string, browser?: { types: string, default: string } }} Export */

/**
 * The modules of src behind package.json's exports, by the names of their bundles.
 *
 * @returns {Record<string, string>} index: 'src/index.ts', obb: 'src/subpaths/obb.ts', ...
 */
export function libraryEntries() {
  /** @type {{ exports: Record<string, string | Export> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @type {Record<string, string>} */
  const found = {};
  for (const [subpath, entry] of Object.entries(exports)) {
    if (typeof entry === 'string') continue;
    for (const { types, default: code } of [entry, ...(entry.browser ? [entry.browser] : [])]) {
      const name = code.startsWith(CODE) ? code.slice(CODE.length).replace(/\.js$/, '') : '';
      if (!types.startsWith(TYPES) || !/^[\w-]+$/.test(name))
        throw new Error(`package.json: ${subpath}: expected ${TYPES}NAME.d.ts and ${CODE}NAME.js`);
      found[name] = join('src', types.slice(TYPES.length).replace(/\.d\.ts$/, '.ts'));
    }
  }
  return found;
}

/** Entries only for Node. For browsers, package.json replaces them. */
export function nodeEntries() {
  /** @type {{ exports: Record<string, string | Export> }} */
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(exports).flatMap((entry) =>
    typeof entry !== 'string' && entry.browser ? [entry.default.slice(CODE.length).replace(/\.js$/, '')] : [],
  );
}

/**
 * Start modules of threads, by the file names under which others look for them. In the bundle, all
 * are in one folder.
 */
export function workers() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, name] of text.matchAll(/new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g)) {
      const path = join('src', dirname(file), `${name}.ts`);
      if ((found[name] ?? path) !== path)
        throw new Error(`${path} and ${found[name]}: expected different file names for two workers`);
      found[name] = path;
    }
  }
  return found;
}
