/**
 * Before the tests: updates dist/, so that no test runs an old program, and makes the parent of all
 * temporary folders. After the tests: deletes it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { update } from '../../scripts/build.mjs';
import { buildKernels } from '../../scripts/build-kernels.mjs';
import { buildShaders } from '../../scripts/build-shaders.mjs';

/** How a test, or a module that it imports, names dist/, the package, or what imports them. */
const NAMES_DIST = /\bdist\b|['"`]gicollide['"`/]|#src\/|\b(bench|bin|scripts)\//;

/**
 * True if tests may run code of dist/: they, or modules of test/ that they import, name it. The
 * other two thirds of the files import src/ and need no build.
 */
export function needsDist(files: readonly string[]): boolean {
  // The set grows while the loop goes over it.
  const seen = new Set(files.map((file) => resolve(file)));
  for (const file of seen) {
    const text = readFileSync(file, 'utf8');
    if (NAMES_DIST.test(text)) return true;
    for (const [, path] of text.matchAll(/['"](\.[^'"\n]+\.(?:ts|mjs))['"]/g)) {
      const module = resolve(dirname(file), path);
      if (!path.includes('/src/') && existsSync(module)) seen.add(module);
    }
  }
  return false;
}

async function prepare(files: readonly string[]): Promise<void> {
  if (needsDist(files)) return update();
  await buildKernels();
  buildShaders();
}

export default async function compile({ vitest }: TestProject): Promise<() => void> {
  await prepare(vitest.state.getPaths());
  vitest.onTestsRerun(async (specifications) => {
    // A source that does not parse must not end the watch. The program then refuses to start.
    await prepare(specifications.map(({ moduleId }) => moduleId)).catch(console.error);
  });
  const folders = mkdtempSync(join(tmpdir(), 'gicollide-'));
  process.env.TEST_FOLDERS = folders;
  // Other temporary files go there, too, such as the profile of a browser that ends with its
  // process.
  process.env.TMPDIR = folders;
  return () => {
    try {
      rmSync(folders, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    } catch (error) {
      // A browser that is about to end may still write its profile: that is no failure of a test.
      console.warn(`${folders} stays: ${(error as Error).message}`);
    }
  };
}
