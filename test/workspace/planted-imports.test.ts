import { beforeAll, expect, test } from 'vitest';
import { plantFolder } from './planted-folder.ts';
import { runTool } from './run-tool.ts';

/** Of each kind of rule one folder, with what its code must not import, and what it may. */
const table: Record<string, { refused: string[]; allowed: string[] }> = {
  // Pure: nothing of Node that reads a clock, a file or the network.
  'packages/core/src': {
    refused: ['node:fs', 'node:net', 'node:http', 'node:timers', '@agp/db', 'pg', '../../db/src/index.ts'],
    allowed: ['zod', 'canonicalize', './other.ts'],
  },
  'packages/pii/src': { refused: ['node:fs', '@agp/catalogue', 'zod'], allowed: ['@agp/core/json', './other.ts'] },
  'packages/catalogue/src': { refused: ['node:fs', '@agp/metering'], allowed: ['@agp/core/money', 'zod'] },
  // Whatever its manifest does not declare.
  'packages/db/src': { refused: ['@agp/bus', 'ioredis', '../../bus/src/a.ts'], allowed: ['@agp/core/ids', 'kysely'] },
  'packages/metering/src': { refused: ['@agp/runtime', '@agp/proxy'], allowed: ['@agp/runtime/fairness', '@agp/pii'] },
  'packages/local-stack/src': { refused: ['@agp/bus', '@agp/proxy'], allowed: ['@agp/bus/permissions'] },
  'packages/testing/src': { refused: ['@agp/proxy', '@agp/writer'], allowed: ['@agp/local-stack/servers', 'vitest'] },
  // It runs in browsers.
  'packages/console/src': {
    refused: ['node:crypto', '@agp/db', '@agp/runtime', '../../core/src/money.ts'],
    allowed: ['@agp/core/money', 'react'],
  },
  // Services: nothing of each other or of tests, and storage only through its packages.
  'services/proxy/src': {
    refused: ['@agp/writer', '@agp/local-stack', '@agp/testing', 'pg', '../../writer/src/start-writer.ts'],
    allowed: ['@agp/core/events', '@agp/db', '@agp/runtime', 'express', 'undici'],
  },
  'services/management/src': { refused: ['@agp/console/build', '@agp/testing'], allowed: ['@agp/db', 'openid-client'] },
  'services/management/src/routes': {
    refused: ['@agp/bus', '@agp/reservations', '@agp/runtime', 'node:fs', 'lru-cache'],
    allowed: ['@agp/core/contracts', '@agp/db', 'express', '../present/agent.ts'],
  },
};

const plantings = Object.entries(table).flatMap(([folder, { refused, allowed }]) =>
  [
    ...refused.map((source) => ({ source, verdict: 'refused' })),
    ...allowed.map((source) => ({ source, verdict: 'allowed' })),
  ].map(({ source, verdict }) => ({
    folder,
    source,
    verdict,
    path: `${folder}/${verdict}-${source.replace(/[^a-z]+/g, '-')}x.ts`,
    text: `import * as planted from '${source}';\n\nexport const used = planted;\n`,
  })),
);

/** What a manifest does not declare, what a folder's own rule refuses, and paths into another package. */
const rules = new Set(['lint/correctness/noUndeclaredDependencies', 'lint/style/noRestrictedImports', 'plugin']);
const refusedPaths = new Set<string>();

beforeAll(async () => {
  using folder = plantFolder(plantings);
  const run = await runTool('biome', ['lint', '--reporter=json', '--max-diagnostics=none', '.'], folder.path);
  const report: { diagnostics: { category: string; location: { path: string } }[] } = JSON.parse(run.stdout);
  for (const { category, location } of report.diagnostics) {
    if (rules.has(category)) refusedPaths.add(location.path);
  }
});

test.each(plantings)('$folder: $source is $verdict', ({ path, verdict }) => {
  expect(refusedPaths.has(path)).toBe(verdict === 'refused');
});
