/**
 * How the time of each call of the API and of each Grafana panel grows with the number of events: medians with 10,000 events and with as
 * many as are asked for, in the same weeks and of the same agents. Last, a block while 100 readers ask for the slowest list.
 *
 * npm run bench:queries -- --events 10000000
 * npm run bench:queries -- --events 10000000 --agents 100000 --teams 200    a team's calls against the installation's
 *
 * Needs about 2 KB of disk for each event, in the folder for temporary files. Reads DATABASE_URL (a migrated database of a server that
 * nothing else uses), NATS_URL and REDIS_URL.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { migrate, openDatabase } from '@agp/db';
import { serviceFlags } from '@agp/local-stack';
import { readArguments } from '../read-arguments.ts';
import { fillDatabase, fillLog, shape } from './fill-database.ts';
import { type Call, listCalls } from './list-calls.ts';
import { type Measured, measureCalls, measurePanels, measurePut } from './measure.ts';

const smallSize = 10_000;
const mostGrowth = 1.5;
/** What is within it of the time at 10,000 is noise, in milliseconds. */
const noiseMs = 1;
/** Longest that a panel may take whose rows grow with days, agents or hours. */
const panelMs = 300;
const key = 'bench-key-of-the-queries';

const { events, agents, teams } = readArguments('bench:queries', { events: 10_000_000, agents: 500, teams: 0 });
Object.assign(shape, { agents, teams });
if (!Number.isSafeInteger(events) || events < 2 * smallSize || events % 1_000 !== 0)
  throw new Error(`--events: must be a multiple of 1000, at least ${2 * smallSize}`);
const { DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
if (!DATABASE_URL || !NATS_URL || !REDIS_URL) throw new Error('DATABASE_URL, NATS_URL or REDIS_URL is not set');

const database = openDatabase({
  url: DATABASE_URL,
  applicationName: 'queries-bench',
  maxConnections: 3,
  pipeline: true,
  statementTimeoutMs: 3_600_000,
});
const { pool } = database;

async function startManagement(): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(
    process.execPath,
    [...serviceFlags, `${import.meta.dirname}/../../../services/management/src/main.ts`],
    {
      env: {
        ...process.env,
        ...{ MANAGEMENT_API_KEY: key, HOST: '127.0.0.1', OPS_HOST: '127.0.0.1', MANAGEMENT_PORT: '0', OPS_PORT: '0' },
        ...{ LOG_LEVEL: 'error', DRAIN_DELAY_SECONDS: '0' },
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop };
}

/** Leaves out calls of endpoints that this version does not have, and names the endpoints without a call. */
async function chooseCalls(url: string, calls: readonly Call[]): Promise<Call[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
  const patterns = Object.entries(paths)
    .filter(([path, methods]) => 'get' in methods && path.startsWith('/api/'))
    .map(([path]) => ({ path, isOf: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}(\\?|$)`) }));
  const missing = patterns.filter(
    ({ path, isOf }) => !path.endsWith('/stream') && !calls.some((call) => isOf.test(call.path)),
  );
  for (const { path } of missing) console.log(`not measured: ${path}`);
  return calls.filter((call) => patterns.some(({ isOf }) => isOf.test(call.path)));
}

async function measureAll(url: string, now: number): Promise<{ calls: Measured; panels: Measured; listed: Call[] }> {
  const listed = await chooseCalls(url, await listCalls(pool, now));
  return { listed, calls: await measureCalls(url, key, listed), panels: await measurePanels(pool, now) };
}

function judge(small: number, large: number, isPanel: boolean, linear?: string): string {
  if (large <= small * mostGrowth || large - small <= noiseMs) return 'ok';
  if (linear !== undefined) return `grows with ${linear}`;
  if (isPanel && large < panelMs) return `ok: under ${panelMs} ms`;
  return 'MISSED';
}

function printRow(name: string, small: { ms: number; fault?: string }, large: typeof small, verdict: string): void {
  const show = ({ ms, fault }: typeof small) => (fault === undefined ? ms.toFixed(1) : 'failed').padStart(9);
  const fault = small.fault ?? large.fault;
  const ratio = fault === undefined ? (large.ms / small.ms).toFixed(1) : '-';
  console.log(`${name.slice(0, 64).padEnd(65)}${show(small)}${show(large)}${ratio.padStart(8)}  ${fault ?? verdict}`);
}

/** Makes a key; its secret. */
async function makeKey(url: string, of: object): Promise<string> {
  const answer = await fetch(`${url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scopes: ['read'], ...of }),
  });
  return ((await answer.json()) as { secret: string }).secret;
}

/** What each call of a team takes, against the same call of the whole installation, at one size. */
async function compareTeams(): Promise<void> {
  // The servers of benchmarks have no other roles.
  await pool.query('CREATE ROLE agp_team NOLOGIN');
  await migrate(database.db, new Date());
  const { now } = await fillDatabase(database, { now: Date.now(), events: 0 }, events);
  await fillLog(database, now, 100_000);
  await pool.query('VACUUM ANALYZE');
  const { url, stop } = await startManagement();
  const listed = await chooseCalls(url, await listCalls(pool, now));
  const team = await makeKey(url, { name: 'team', match: { team: 'team-3' } });
  const [all, own] = [await measureCalls(url, key, listed), await measureCalls(url, team, listed)];
  console.log(`\nmedians in ms of the installation and of one of ${teams} teams; load ${loadavg()[0]?.toFixed(1)}`);
  const none = { ms: Number.NaN, fault: 'not measured' };
  for (const { name } of listed) {
    const [one, other] = [all.get(name) ?? none, own.get(name) ?? none];
    printRow(name, one, other, judge(one.ms, other.ms, false));
  }
  await stop();
  await database.close();
}

console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
if (teams > 0) {
  await compareTeams();
  process.exit();
}
let filled = await fillDatabase(database, { now: Date.now(), events: 0 }, smallSize);
await fillLog(database, filled.now, 100);
await pool.query('VACUUM ANALYZE');
let management = await startManagement();
const small = await measureAll(management.url, filled.now);
await management.stop();
filled = await fillDatabase(database, filled, events);
await fillLog(database, filled.now, 100_000);
await pool.query('VACUUM ANALYZE');
management = await startManagement();
const large = await measureAll(management.url, filled.now);

const size = await pool.query<{ gb: string }>(
  'SELECT round(pg_database_size(current_database()) / 1e9, 1)::text AS gb',
);
console.log(
  `\nmedians in ms with ${smallSize.toLocaleString('en')} and ${events.toLocaleString('en')} events (${size.rows[0]?.gb} GB); load ${loadavg()[0]?.toFixed(1)}`,
);
const none = { ms: Number.NaN, fault: 'not measured' };
for (const { name, isLinear } of large.listed) {
  const [before, after] = [small.calls.get(name) ?? none, large.calls.get(name) ?? none];
  printRow(name, before, after, judge(before.ms, after.ms, false, isLinear));
}
for (const [name, after] of large.panels) {
  const before = small.panels.get(name) ?? none;
  printRow(name, before, after, judge(before.ms, after.ms, true));
}

const linear = new Set(large.listed.filter(({ isLinear }) => isLinear).map(({ name }) => name));
const [slowest = ''] =
  [...large.calls].filter(([name]) => !linear.has(name)).sort(([, a], [, b]) => b.ms - a.ms)[0] ?? [];
const path = large.listed.find(({ name }) => name === slowest)?.path ?? '';
const agentId =
  large.listed
    .find(({ path }) => /agents\/agt_\w+$/.test(path))
    ?.path.split('/')
    .at(-1) ?? '';
const keys = await Promise.all(
  Array.from({ length: 20 }, (_, at) => makeKey(management.url, { name: `reader ${at}` })),
);
for (const count of [1, keys.length]) {
  const readers = Array.from({ length: 100 }, (_, at) => ({ key: keys[at % count] as string, path }));
  const { quiet, busy, answers } = await measurePut(management.url, agentId, readers, key);
  const counts = [...answers].map(([status, times]) => `${times} of ${status}`).join(', ');
  printRow(
    `PUT beside 100 readers with ${count} keys of "${slowest}"`,
    quiet,
    busy,
    busy.ms - quiet.ms <= 50 ? 'ok' : 'MISSED',
  );
  console.log(`  readers had ${counts}`);
}
await management.stop();
await database.close();
