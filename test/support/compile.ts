/**
 * Before the tests: compiles src into dist, so that those of the command line never run an old
 * program, and makes the folder that all of theirs are in; after them, deletes it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from '../../scripts/build-kernels.mjs';
import { buildShaders } from '../../scripts/build-shaders.mjs';
import { bundleProgram } from '../../scripts/bundle-program.mjs';
import { writeViewer } from '../../scripts/bundle-viewer.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Incremental: what is unchanged is not written again. A type error stops nothing here, `npm run types` is for those. */
export default async function compile(): Promise<() => void> {
  await buildKernels();
  buildShaders();
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const incremental = ['--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];
  const { status, stdout, error } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...incremental], {
    cwd: root,
    encoding: 'utf8',
  });
  if (error || !existsSync(join(root, 'dist/cli/program.js'))) throw error ?? new Error(stdout);
  if (status !== 0) process.stderr.write(stdout);
  // Beside what tsc wrote: the program as the package has it, which the tests of the command line run (cli.ts).
  const bundle = join(root, 'dist/bundle');
  await bundleProgram(join(bundle, 'dist/cli'));
  await copyViewer(join(bundle, 'dist/viewer'));
  mkdirSync(join(bundle, 'bin'), { recursive: true });
  copyFileSync(join(root, 'bin/gicollide.js'), join(bundle, 'bin/gicollide.js'));
  const folders = mkdtempSync(join(tmpdir(), 'gicollide-'));
  process.env.TEST_FOLDERS = folders;
  // What else is made for a while goes there, too: a browser that ends with its process leaves its profile.
  process.env.TMPDIR = folders;
  return () => rmSync(folders, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The page beside the program; where it cannot be made, its own tests say why once more. */
async function copyViewer(folder: string): Promise<void> {
  try {
    await writeViewer();
    cpSync(join(root, 'dist/viewer/page.html'), join(folder, 'page.html'));
  } catch (error) {
    process.stderr.write(`dist/viewer/page.html: ${error instanceof Error ? error.message : error}\n`);
  }
}
