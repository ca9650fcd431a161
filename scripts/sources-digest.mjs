// A digest of the program's sources. It is a constant of the bundle and part of the keys of the
// build cache. dist/ has a record of the sources that it was built from.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * @typedef {{ digest: string, count: number, time: number }} Sources `time`: none was changed
 *   later, by its ctime
 */

/** Sources in the root folder; the others are below src and scripts. */
export const SETTINGS = ['package-lock.json', 'package.json', 'tsconfig.build.json', 'tsconfig.json'];

const RECORD = 'dist/sources.json';
const PROGRAM = 'dist/package/lib/program.js';

/**
 * The sources of the program: src without generated files and documentation, the build scripts and
 * their settings, and the lock file for the packages' versions.
 *
 * @param {string} root
 */
function sourceFiles(root) {
  const files = SETTINGS.filter((file) => existsSync(`${root}/${file}`));
  /** @param {string} folder @param {RegExp} wanted */
  const walk = (folder, wanted) => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path, wanted);
      else if (wanted.test(path)) files.push(path);
    }
  };
  walk('src', /^(?!.*\.generated\.).*\.(ts|wgsl|css|html)$/);
  walk('scripts', /^scripts\/(?!count-|lint|make-|release|try-|watch)[^/]*\.mjs$/);
  return files;
}

/**
 * SHA-256 of all source files, with their names: equal on every machine, since each file has the
 * same ends of lines everywhere.
 *
 * @param {string} root
 */
export function sourcesDigest(root) {
  // Not imported: a start that finds no change needs no digest.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const file of sourceFiles(root).sort()) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * The sources, to be asked for before a build reads them: a file that changes while it runs is
 * newer.
 *
 * @param {string} root
 * @returns {Sources}
 */
export function readSources(root) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  // The clock of the file system may be some milliseconds behind that of the process.
  const mark = join(root, `dist/sources.${process.pid}`);
  writeFileSync(mark, '');
  const time = statSync(mark).ctimeMs;
  rmSync(mark);
  return { digest: sourcesDigest(root), count: sourceFiles(root).length, time };
}

/**
 * Records that dist/package was built from these sources, or that it is being written (without
 * sources).
 *
 * @param {string} root
 * @param {Sources} [sources]
 */
export function recordSources(root, sources) {
  if (!sources) return rmSync(join(root, RECORD), { force: true });
  // Renamed into place: a program may start at this moment.
  const unfinished = join(root, `dist/sources.${process.pid}`);
  writeFileSync(unfinished, JSON.stringify(sources));
  renameSync(unfinished, join(root, RECORD));
}

/**
 * The sources that dist/package was built from; undefined if it is missing or incomplete.
 *
 * @param {string} root
 * @returns {Sources | undefined}
 */
function recordedSources(root) {
  if (!existsSync(join(root, PROGRAM)) || !existsSync(join(root, RECORD))) return undefined;
  return JSON.parse(readFileSync(join(root, RECORD), 'utf8'));
}

/**
 * Compares dist/package to the present sources by their contents. If they are equal, later starts
 * of the program need not read files that were rewritten without a change, as by switching branches
 * and back.
 *
 * @param {string} root
 * @param {Sources} sources
 */
export function isBuiltFrom(root, sources) {
  const isBuilt = recordedSources(root)?.digest === sources.digest;
  if (isBuilt) recordSources(root, sources);
  return isBuilt;
}

/**
 * The reason why a clone's program can't start, with the command that fixes it; undefined if dist/
 * is up to date. Contents are compared only if a ctime is newer. ctime changes when a tool writes,
 * restores or renames a file; mtime may not.
 *
 * @param {string} root
 */
export function staleBuild(root) {
  const built = recordedSources(root);
  if (built) {
    const files = sourceFiles(root);
    const isOlder = (/** @type {string} */ file) => {
      const { ctimeMs, mtimeMs } = statSync(`${root}/${file}`);
      return ctimeMs < built.time && mtimeMs < built.time;
    };
    if (files.length === built.count && files.every(isOlder)) return undefined;
    if (sourcesDigest(root) === built.digest) return undefined;
  }
  const state = built ? 'older than its sources' : 'missing or incomplete';
  const command = existsSync(join(root, 'node_modules')) ? 'npm run build' : 'npm install';
  return `dist/ is ${state}: run ${command} in ${resolve(root)}`;
}
