import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { FolderReporter } from './packages/testing/src/folder-reporter.ts';
import { longestWaitMs } from './packages/testing/src/wait-for.ts';

// Halves what it costs to start a service or a command as a process.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.data/compile-cache');

/** Files that take longest begin first: begun last, one would run alone at the end. */
const longest =
  /lifecycle|conversations\.test|cli-agents|console\/|kubernetes\/|services\/writer\/test|local-stack\/src\/start\/|bus\/src\/consume/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : /\/test\//.test(moduleId) ? 1 : 2);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'packages/testing/src/global-setup.ts',
    // Only what hangs is to run into these: a machine may be many times slower than ours, and no wait within a test ends later.
    testTimeout: longestWaitMs + 60_000,
    hookTimeout: longestWaitMs + 60_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: longestWaitMs } },
    // Files of a worker share its modules: loading them anew for each file was a third of the run's CPU time.
    isolate: false,
    // Node.js loads the sources itself, as it does in production, and keeps what it compiled: less CPU time than Vite's loader.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most of what a story makes is garbage a moment later.
    execArgv: ['--max-semi-space-size=32'],
    reporters: [new FolderReporter(), ['json', { outputFile: '.data/test-report.json' }]],
    // Of a client that tests run: it would go past the proxy.
    env: { MASTRA_TELEMETRY_DISABLED: '1' },
    // Also what the services log, which a test system hands to console.log.
    silent: 'passed-only',
    include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'test/**/*.test.ts'],
    // As many as cores, while most stories wait for something half of the time: more would compete.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
});
