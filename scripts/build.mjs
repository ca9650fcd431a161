// npm run build: builds all of dist/, with a line on stderr for each step. dist/package is the part
// that npm publishes. With --update it only brings dist/ up to date.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from './build-kernels.mjs';
import { buildShaders } from './build-shaders.mjs';
import { bundleLibrary, copyTypes, packPage } from './bundle-package.mjs';
import { writeViewer } from './bundle-viewer.mjs';
import { isBuiltFrom, readSources, recordSources } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Compiles each module of src by itself into dist/. Unchanged files are not written again.
 *
 * @param {{ isStrict: boolean }} options
 */
async function compileModules({ isStrict }) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] }), 'close');
  if (code !== 0 && isStrict) throw new Error('src/ does not compile');
  copyTypes();
}

async function makePage() {
  await writeViewer();
  await packPage();
}

/**
 * @param {import('./sources-digest.mjs').Sources} sources as they were before
 * @param {{ isStrict: boolean, begin: (step: string) => void }} options `isStrict`: type errors
 *   stop the build; otherwise they are only printed. `begin` is called before each of five steps.
 */
async function runSteps(sources, { isStrict, begin }) {
  recordSources(root);
  /** @param {string} name @param {() => unknown} run */
  const step = async (name, run) => {
    begin(name);
    await run();
  };
  await step('kernels, AssemblyScript to WebAssembly', buildKernels);
  await step('shaders', buildShaders);
  await Promise.all([
    step('modules, TypeScript to JavaScript', () => compileModules({ isStrict })),
    step('the page of gicollide view', makePage),
    step('the package, one bundle', () => bundleLibrary()),
  ]);
  recordSources(root, sources);
}

/** Builds all of dist/ from scratch, so that nothing is left of a deleted source file. */
export async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  let done = 0;
  const begin = (/** @type {string} */ step) => process.stderr.write(`build ${++done}/5: ${step}\n`);
  await runSteps(readSources(root), { isStrict: true, begin });
}

/**
 * Brings dist/ up to date, for tests and `npm run watch`. Does nothing if it is. A type error stops
 * nothing: `npm run types` finds those.
 */
export async function update() {
  const sources = readSources(root);
  if (!isBuiltFrom(root, sources)) await runSteps(sources, { isStrict: false, begin: () => {} });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await (process.argv[2] === '--update' ? update() : build());
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
