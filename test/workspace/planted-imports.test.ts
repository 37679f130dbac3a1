import { beforeAll, expect, test } from 'vitest';
import { plantFolder } from './planted-folder.ts';
import { runTool } from './run-tool.ts';

/** Each folder with what its code must not import, and what it may. */
const table: Record<string, { refused: string[]; allowed: string[] }> = {
  'packages/core/src': {
    refused: [
      'node:fs',
      'node:net',
      'node:http',
      'node:timers',
      '@agp/db',
      '@agp/runtime',
      'pg',
      '../../db/src/index.ts',
    ],
    allowed: ['zod', 'canonicalize', 'typeid-js', './other.ts'],
  },
  'packages/pii/src': {
    refused: ['node:fs', '@agp/db', '@agp/pricing', '@agp/runtime', 'zod'],
    allowed: ['@agp/core/json', '@noble/hashes/sha3.js', '@scure/base', './other.ts'],
  },
  'packages/pricing/src': {
    refused: ['node:fs', '@agp/db', '@agp/pii', '@agp/metering'],
    allowed: ['@agp/core/money', '@pydantic/genai-prices', 'zod'],
  },
  'packages/metering/src': {
    refused: ['@agp/db', '@agp/bus', '@agp/reservations', '@agp/runtime', '@agp/proxy', 'undici', 'express', 'pg'],
    allowed: ['@agp/core/json', '@agp/pii', '@agp/pricing', '@agp/runtime/fairness', 'gpt-tokenizer/model/gpt-4o'],
  },
  'packages/operator/src': {
    refused: ['@agp/proxy', '@agp/writer', '@agp/local-stack', 'express', 'nats', 'ioredis', 'kysely'],
    allowed: ['@agp/bus', '@agp/db', '@agp/db/roles', '@agp/runtime', 'pg', 'zod'],
  },
  'packages/demo-provider/src': {
    refused: ['@agp/db', '@agp/bus', '@agp/metering', '@agp/proxy', 'pg', 'undici'],
    allowed: ['@agp/core/json', '@agp/runtime', 'zod'],
  },
  'packages/testing/src': {
    refused: ['@agp/proxy', '@agp/writer', '@agp/management'],
    allowed: ['@agp/core/events', '@agp/local-stack/servers', 'vitest'],
  },
  'packages/db/src': {
    refused: [
      '@agp/bus',
      '@agp/runtime',
      '@agp/reservations',
      'ioredis',
      'nats',
      'express',
      'pino',
      '../../bus/src/a.ts',
    ],
    allowed: ['@agp/core/ids', 'kysely', 'kysely/migration', 'pg', 'node:fs', './other.ts'],
  },
  'packages/bus/src': {
    refused: ['@agp/db', '@agp/runtime', 'pg', 'kysely', 'ioredis', 'pino', 'express'],
    allowed: ['@agp/core/events', 'nats', 'node:events'],
  },
  'packages/reservations/src': {
    refused: ['@agp/db', '@agp/bus', '@agp/runtime', 'pg', 'nats', 'express', 'prom-client'],
    allowed: ['@agp/core/errors', 'ioredis', 'rate-limiter-flexible', 'node:crypto'],
  },
  'packages/runtime/src': {
    refused: [
      '@agp/db',
      '@agp/bus',
      '@agp/reservations',
      '@opentelemetry/instrumentation',
      'pg',
      'nats',
      'ioredis',
      'express',
      'undici',
    ],
    allowed: ['@agp/core/errors', '@opentelemetry/sdk-trace', 'pino', 'prom-client', 'zod', 'node:http'],
  },
  'packages/monitoring/src': {
    refused: ['@agp/db', '@agp/runtime', '@agp/local-stack', 'prom-client', 'pg', '../../db/src/index.ts'],
    allowed: ['@grafana/grafana-foundation-sdk/dashboard', 'yaml', 'node:fs', './other.ts'],
  },
  'packages/cli/src': {
    refused: [
      '@agp/db',
      '@agp/runtime',
      '@agp/management',
      '@agp/local-stack',
      'pg',
      'express',
      '../../core/src/ids.ts',
    ],
    allowed: ['@agp/core/contracts', '@agp/core/lineage', 'commander', 'cli-table3', 'zod', 'node:fs'],
  },
  'packages/local-stack/src': {
    refused: [
      '@agp/proxy',
      '@agp/writer',
      '@agp/management',
      '@agp/db',
      '@agp/bus',
      '@agp/reservations',
      'ioredis',
      'nats',
      'kysely',
    ],
    allowed: [
      '@agp/runtime',
      '@agp/bus/permissions',
      '@agp/reservations/permissions',
      'openai',
      '@anthropic-ai/sdk',
      'node:child_process',
    ],
  },
  'services/proxy/src': {
    refused: [
      '@agp/writer',
      '@agp/management',
      '@agp/local-stack',
      '@agp/testing',
      'pg',
      'kysely',
      'ioredis',
      'rate-limiter-flexible',
      'nats',
      '@opentelemetry/api',
      'pino',
      'prom-client',
      '../../writer/src/start-writer.ts',
    ],
    allowed: ['@agp/core/events', '@agp/db', '@agp/bus', '@agp/reservations', '@agp/runtime', 'express', 'undici'],
  },
  'services/writer/src': {
    refused: [
      '@agp/proxy',
      '@agp/management',
      '@agp/local-stack',
      'express',
      'undici',
      'pg',
      'kysely',
      'ioredis',
      'nats',
    ],
    allowed: ['@agp/core/events', '@agp/db', '@agp/bus', '@agp/reservations', '@agp/runtime', 'zod'],
  },
  'services/management/src': {
    refused: ['@agp/proxy', '@agp/writer', '@agp/local-stack', 'undici', 'pg', 'kysely', 'ioredis', 'nats', 'pino'],
    allowed: [
      '@agp/core/contracts',
      '@agp/db',
      '@agp/bus',
      '@agp/reservations',
      '@agp/runtime',
      'express',
      'zod-openapi',
    ],
  },
  'services/management/src/routes': {
    refused: ['@agp/bus', '@agp/reservations', '@agp/runtime', 'pg', 'kysely', 'node:fs', 'lru-cache', 'zod-openapi'],
    allowed: ['@agp/core/contracts', '@agp/core/errors', '@agp/db', 'express', 'zod', '../present/agent.ts'],
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
}, 60_000);

test.each(plantings)('$folder: $source is $verdict', ({ path, verdict }) => {
  expect(refusedPaths.has(path)).toBe(verdict === 'refused');
});
