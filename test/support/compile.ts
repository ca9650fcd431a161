/**
 * Before the tests: compiles src into dist, so that those of the command line never run an old
 * program, and makes the folder that all of theirs are in; after them, deletes it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from '../../scripts/build-kernels.mjs';
import { buildShaders } from '../../scripts/build-shaders.mjs';
import { bundlePackage } from '../../scripts/bundle-package.mjs';
import { writeViewer } from '../../scripts/bundle-viewer.mjs';
import { readSources } from '../../scripts/sources-digest.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Incremental: what is unchanged is not written again. A type error stops nothing here, `npm run types` is for those. */
export default async function compile(): Promise<() => void> {
  const sources = readSources(root);
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
  // As the package has it, for the tests of the command line (cli.ts) and of sizes.
  await makePage();
  await bundlePackage(sources);
  const folders = mkdtempSync(join(tmpdir(), 'gicollide-'));
  process.env.TEST_FOLDERS = folders;
  // What else is made for a while goes there, too: a browser that ends with its process leaves its profile.
  process.env.TMPDIR = folders;
  return () => rmSync(folders, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The page; where it cannot be made, its own tests say why once more. */
async function makePage(): Promise<void> {
  try {
    await writeViewer();
  } catch (error) {
    process.stderr.write(`dist/viewer/page.html: ${error instanceof Error ? error.message : error}\n`);
  }
}
