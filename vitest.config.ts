import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Halves what it costs to start a service or a command as a process.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.data/compile-cache');

/** Stories about the whole system take longest, and these longest of all: begun last, one would run alone at the end. */
const longest =
  /test\/(?:lifecycle|recording\/exactly-once)|services\/writer\/test|local-stack\/src\/start\/|bus\/src\/(?:cut-off|consume)|redis-failover|primary\.test/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : /\/test\//.test(moduleId) ? 1 : 2);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'packages/testing/src/global-setup.ts',
    // Only what hangs is to run into these: a machine may be many times slower than ours.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Files of a worker share its modules: loading them anew for each file was a third of the run's CPU time.
    isolate: false,
    // Node.js loads the sources itself, as it does in production, and keeps what it compiled: less CPU time than Vite's loader.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most of what a story makes is garbage a moment later.
    execArgv: ['--max-semi-space-size=32'],
    include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'test/**/*.test.ts'],
    // More than cores: most stories wait for something most of the time.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
  },
});
