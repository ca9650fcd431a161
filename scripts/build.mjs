// npm run build: all of dist/ anew, with a line on stderr for each step. dist/package is the part that
// npm publishes.
import { spawnSync } from 'node:child_process';
import { realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from './build-kernels.mjs';
import { buildShaders } from './build-shaders.mjs';
import { bundlePackage } from './bundle-package.mjs';
import { writeViewer } from './bundle-viewer.mjs';
import { readSources } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each module of src by itself, into dist/. */
function compileModules() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  // The first test run then compiles only what has changed.
  const args = [tsc, '-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) throw error ?? new Error('src/ does not compile');
}

export async function build() {
  // A deleted source file leaves nothing behind.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const sources = readSources(root);
  /** @type {[string, () => unknown][]} */
  const steps = [
    ['kernels, AssemblyScript to WebAssembly', buildKernels],
    ['shaders', buildShaders],
    ['modules, TypeScript to JavaScript', compileModules],
    ['the page of gicollide view', () => writeViewer()],
    ['the package, one bundle', () => bundlePackage(sources)],
  ];
  for (const [i, [name, step]] of steps.entries()) {
    process.stderr.write(`build ${i + 1}/${steps.length}: ${name}\n`);
    await step();
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    process.stderr.write(`build: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
