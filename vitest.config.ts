import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const folder = fileURLToPath(new URL('test', import.meta.url));

/** Test files that say more in the long run, for they import test/support/long.ts,
 * or what builds by it. The others are `npm test`'s alone. */
const filesOfLongRun = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /\/(long|variants)\.ts'/.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => `test/${file.replaceAll('\\', '/')}`);

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'long' ? filesOfLongRun() : ['test/**/*.test.ts'],
    globalSetup: ['test/support/compile.ts'],
    // No test measures time: a limit is for what would never end, on however busy a machine.
    testTimeout: mode === 'long' ? 3_600_000 : 600_000,
    hookTimeout: 600_000,
    // All processors: the default leaves one, which is half of a small machine.
    maxWorkers: '100%',
    // Of `npm test`. What the command line does in processes of its own is not seen.
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.as.ts', 'src/kernels/module.generated.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
}));
