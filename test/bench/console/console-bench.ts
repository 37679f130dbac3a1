/**
 * How long each screen of the console takes in a real browser until its data are there, beside the same reads of the API without one, with
 * as many events and agents as are asked for.
 *
 * npm run bench:console -- --events 10000000 --agents 100000
 *
 * Needs about 2 KB of disk for each event, in the folder for temporary files. Reads DATABASE_URL (a migrated database of a server that
 * nothing else uses), NATS_URL and REDIS_URL.
 */

import { loadavg } from 'node:os';
import { buildConsole } from '@agp/console/build';
import { toPublicId } from '@agp/core/ids';
import { openDatabase, type Pool } from '@agp/db';
import { signIn } from '../../console/support/open-console.ts';
import { startBrowser } from '../../wire/browsers/start-browser.ts';
import { startService } from '../processes.ts';
import { fillDatabase, fillLog, shape, wholeSession } from '../queries/fill-database.ts';
import { readArguments } from '../read-arguments.ts';
import { fillAgents, fillRefusals, type Known, listViews, makeDocuments, measureView } from './views.ts';

/** Longest that a screen may take, in milliseconds. */
const promisedMs = 1_000;
const key = 'agm_bench-key-of-the-console-0123456789';

const { events, agents } = readArguments('bench:console', { events: 200_000, agents: shape.agents as number });
if (!Number.isSafeInteger(events) || events < 10_000 || events % 1_000 !== 0)
  throw new Error('--events: must be a multiple of 1000, at least 10000');
if (!Number.isSafeInteger(agents) || agents < shape.agents)
  throw new Error(`--agents: must be a whole number, at least ${shape.agents}`);
const { DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
if (!DATABASE_URL || !NATS_URL || !REDIS_URL) throw new Error('DATABASE_URL, NATS_URL or REDIS_URL is not set');

async function findKnown(pool: Pool): Promise<Known> {
  const { rows } = await pool.query<{ id: string; name: string }>(
    `SELECT id, name FROM agents WHERE name = 'agent-0003'`,
  );
  const { rows: found } = await pool.query<{ id: string; request_id: string }>(
    `SELECT id, request_id FROM events WHERE request_id LIKE 'req_%' ORDER BY id DESC LIMIT 1`,
  );
  const [agent] = rows as [(typeof rows)[0]];
  const [event] = found as [(typeof found)[0]];
  return {
    eventId: toPublicId('evt', event.id),
    requestId: event.request_id,
    sessionId: wholeSession,
    agentId: toPublicId('agt', agent.id),
    agentName: agent.name,
  };
}

await using resources = new AsyncDisposableStack();
await buildConsole({ report: (line) => console.log(line) });
const database = openDatabase({
  url: DATABASE_URL,
  applicationName: 'console-bench',
  maxConnections: 3,
  pipeline: true,
  statementTimeoutMs: 3_600_000,
});
resources.defer(() => database.close());
const { pool } = database;
const { now } = await fillDatabase(database, { now: Date.now(), events: 0 }, events);
await fillLog(database, now, Math.min(100_000, events / 10));
await fillAgents(pool, agents, now);
await fillRefusals(pool, Math.min(100_000, events / 10), now);
await pool.query('VACUUM ANALYZE');

const servers = { databaseUrl: DATABASE_URL, natsUrl: NATS_URL, redisUrl: REDIS_URL };
const variables = { MANAGEMENT_API_KEY: key, LOG_LEVEL: 'error', DRAIN_DELAY_SECONDS: '0' };
const { child, url } = await startService('management', servers, null, variables);
resources.defer(() => void child.kill('SIGTERM'));
await makeDocuments(url, key);
// As if they had held for as long as refusals are counted.
await pool.query(`UPDATE policies SET created_at = created_at - interval '30 days'`);
const browser = resources.adopt(await startBrowser(), (running) => running.close());
const context = await browser.newContext({
  viewport: { width: 1280, height: 900 },
  storageState: await signIn(url, key),
});
const page = await context.newPage();
page.setDefaultTimeout(120_000);
page.setDefaultNavigationTimeout(120_000);

console.log(
  `\nmedians in ms with ${events.toLocaleString('en')} events and ${agents.toLocaleString('en')} agents: the screen, its longest task, its reads at once, the slowest of them; load ${loadavg()[0]?.toFixed(1)}`,
);
let missed = 0;
for (const view of listViews(await findKnown(pool))) {
  const times = await measureView(page, url, key, view).catch((error: Error) => error);
  const name = view.path.slice(0, 44).padEnd(46);
  if (times instanceof Error) {
    missed += 1;
    console.log(`${name} failed: ${times.message.split('\n')[0]}`);
    continue;
  }
  const isIn = times.pageMs <= promisedMs;
  if (!isIn) missed += 1;
  const figures = [times.pageMs, times.heldMs, times.apiMs, times.slowestMs]
    .map((ms) => ms.toFixed(0).padStart(7))
    .join('');
  const reads = `${times.reads.length} ${times.reads.length === 1 ? 'read' : 'reads'}`;
  console.log(`${name}${figures}  ${reads.padEnd(8)} ${isIn ? 'ok' : `MISSED: over ${promisedMs} ms`}`);
}
console.log(missed === 0 ? `every screen within ${promisedMs} ms` : `${missed} screens were not`);
process.exitCode = missed === 0 ? 0 : 1;
