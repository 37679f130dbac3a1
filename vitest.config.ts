import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Halves what it costs to start a service or a command as a process.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.data/compile-cache');

/** Loads of a rate that they hold for a while: beside other tests they would find the machine busy, not the product at fault. */
const alone = [
  'test/lifecycle/rolling-restart.test.ts',
  'test/control/kill-running.test.ts',
  'test/control/kill-switch.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: 'packages/testing/src/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Files of a worker share its modules: loading them anew for each file was a third of the run's CPU time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
