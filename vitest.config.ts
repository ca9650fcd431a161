import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const folder = fileURLToPath(new URL('test', import.meta.url));

/** All test files that import a module of test/support, or of test/, by the end of its path. */
const filesThatImport = (modules: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => modules.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => `test/${file.replaceAll('\\', '/')}`);

/** They say more in the long run, themselves or by what they build; the others are `npm test`'s. */
const filesOfLongRun = filesThatImport(/\/(long|variants)\.ts'/);
/** What counts steps needs code that is compiled for it; the others are faster without. */
const filesThatCount = filesThatImport(/\/steps\.ts'/);

export default defineConfig(({ mode }) => {
  const all = mode === 'long' ? filesOfLongRun : filesThatImport(/./);
  const settings = {
    // No test measures time: a limit is for what would never end, on however busy a machine.
    testTimeout: mode === 'long' ? 3_600_000 : 600_000,
    hookTimeout: 600_000,
  };
  const project = (name: string, files: string[]) => ({
    mode,
    test: { ...settings, name, isolate: false, include: all.filter((file) => files.includes(file)) },
  });
  return {
    test: {
      globalSetup: ['test/support/compile.ts'],
      // All processors: the default leaves one, which is half of a small machine. And one more where
      // tests of queues wait half a minute for what a killed worker held.
      maxWorkers: mode === 'long' ? '100%' : availableParallelism() + 1,
      // In one process after the other, each process as soon as it is free: what is imported is
      // transformed once, and compiled once for each.
      // Tried: dist/ in the place of src/, which spares a look-up at each call of what was imported.
      // It takes 15 % less, and neither coverage nor who counts steps or mocks a module can have it.
      projects: [
        project('counted', filesThatCount),
        project(
          'others',
          filesThatImport(/./).filter((file) => !filesThatCount.includes(file)),
        ),
      ],
      // Of `npm test`. What the command line does in processes of its own is not seen.
      coverage: {
        include: ['src/**/*.ts'],
        exclude: ['src/**/*.as.ts', 'src/kernels/module.generated.ts'],
        reporter: ['text-summary', 'html'],
      },
    },
  };
});
