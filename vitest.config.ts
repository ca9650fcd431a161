import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const folder = fileURLToPath(new URL('test', import.meta.url));

/**
 * The three tiers, by vitest's mode. Tags name the tiers of a test. Without tags it is `quick`.
 * Each tier loads only the files that match, and runs only the tests that the filter takes.
 */
const TIERS: Record<string, { tests: string; files: RegExp; except?: RegExp }> = {
  quick: { tests: 'quick || !(all || long)', files: /./, except: /@module-tag all/ },
  all: { tests: 'all', files: /@module-tag all|tags: \[[^\]]*'all'/ },
  long: { tests: 'long', files: /@module-tag long|tags: \[[^\]]*'long'/ },
};
/** Any other mode, as of `npx vitest run FILE`: what `npm test` and `npm run test:all` run. */
const BOTH = { tests: 'quick || all || !long', files: /./ };

const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => ({ path: `test/${file.replaceAll('\\', '/')}`, text: readFileSync(join(folder, file), 'utf8') }));

/** Tests that count steps need code that is compiled for it; the others are faster without. */
const COUNTED = /\/steps\.ts'/;

export default defineConfig(({ mode }) => {
  const { tests: tagsFilter, files, except } = { except: undefined, ...(TIERS[mode] ?? BOTH) };
  const mine = tests.filter(({ text }) => files.test(text) && !except?.test(text));
  const settings = {
    mode,
    // No test measures time: a limit is for what would never end, on however busy a machine.
    testTimeout: mode === 'long' ? 3_600_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    isolate: false,
    tagsFilter: [tagsFilter],
    strictTags: true,
    tags: [
      { name: 'quick', description: 'runs in npm test' },
      { name: 'all', description: 'runs in npm run test:all' },
      { name: 'long', description: 'runs in npm run test:long' },
      // Chromium shares the processors with other tests, and may show a state too late for a look.
      { name: 'browser', description: 'runs in Chromium, and once more if it fails', retry: 1 },
    ],
  };
  const project = (name: string, isMine: (text: string) => boolean) => ({
    mode,
    test: { ...settings, name, include: mine.filter(({ text }) => isMine(text)).map(({ path }) => path) },
  });
  return {
    test: {
      globalSetup: ['test/support/compile.ts'],
      // All processors: the default leaves one, which is half of a small machine. And one more where
      // tests of queues wait half a minute for what a killed worker held.
      maxWorkers: availableParallelism() + 1,
      // In one process after the other, each process as soon as it is free: what is imported is
      // transformed once, and compiled once for each.
      // Tried: dist/ in the place of src/, which spares a look-up at each call of what was imported.
      // It takes 15 % less, and neither coverage nor who counts steps or mocks a module can have it.
      projects: [project('counted', (text) => COUNTED.test(text)), project('others', (text) => !COUNTED.test(text))],
      // Of `npm test`. What the command line does in processes of its own is not seen.
      coverage: {
        include: ['src/**/*.ts'],
        exclude: ['src/**/*.as.ts', 'src/**/*.generated.ts'],
        reporter: ['text-summary', 'html'],
      },
    },
  };
});
