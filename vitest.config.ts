import { readdirSync, readFileSync } from 'node:fs';
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
/** What counts steps needs code that nobody has run before. */
const filesThatCount = filesThatImport(/\/(steps|clock)\.ts'/);

/** The others, by folder; the longest first. */
const groups: Record<string, string[]> = {};
for (const name of ['cli', 'representations/gi', 'representations/frep', 'representations', 'contract', '']) {
  const isKnown = (file: string): boolean => [filesThatCount, ...Object.values(groups)].flat().includes(file);
  groups[name || 'others'] = filesThatImport(/./).filter((file) => file.startsWith(`test/${name}`) && !isKnown(file));
}

export default defineConfig(({ mode }) => {
  const all = mode === 'long' ? filesOfLongRun : filesThatImport(/./);
  const settings = {
    // No test measures time: a limit is for what would never end, on however busy a machine.
    testTimeout: mode === 'long' ? 3_600_000 : 600_000,
    hookTimeout: 600_000,
  };
  const project = (name: string, files: string[], more: object = {}) => ({
    mode,
    test: { ...settings, ...more, name, include: all.filter((file) => files.includes(file)) },
  });
  return {
    test: {
      globalSetup: ['test/support/compile.ts'],
      // All processors: the default leaves one, which is half of a small machine.
      maxWorkers: '100%',
      projects: [
        project('alone', filesThatCount),
        // In one process after the other: what is imported is compiled once. Each group is dealt out
        // to the processors when it begins, so several of them keep all busy.
        ...Object.entries(groups).map(([name, files]) => project(name, files, { isolate: false })),
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
