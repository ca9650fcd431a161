import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/compile.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // All processors: the default leaves one, which is half of a small machine.
    maxWorkers: '100%',
  },
});
