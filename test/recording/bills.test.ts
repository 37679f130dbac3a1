import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventMessage } from '@agp/core/events';
import { openDatabase, openGuardedDatabase, recordEvents } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { eventually } from '@agp/testing';
import { makeEventAt } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { BillKeeper } from '../../services/management/src/jobs/bill-keeper.ts';
import { type System, startSystem } from '../system/start-system.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const nano = (usd: number) => Math.round(usd * 1e9);
const dayBefore = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const [yesterday, before, old] = [dayBefore(1), dayBefore(2), dayBefore(60)];
const noon = (day: string) => Date.parse(`${day}T12:00:00Z`);

const charge = (day: string, item: string, usd: number) => ({ day, item, nanoUsd: nano(usd), account: 'proj_1' });
const charges = [
  charge(yesterday, 'gpt-4o-2024-08-06, input', 1),
  charge(yesterday, 'gpt-4o-2024-08-06, output', 2.5),
  charge(before, 'gpt-next, output', 4.2),
  charge(before, 'gpt-4o-2024-08-06, output', 0.75),
];

let system: System;
let url: string;
const servers = new AsyncDisposableStack();

beforeAll(async () => {
  system = servers.use(await startSystem({ proxies: 0, writers: 0, management: false }));
  url = `${servers.use(await startDemoProvider({ host: '127.0.0.1', port: 0, charges })).url}/openai`;
  const at = (day: string, over: Partial<EventMessage>) => makeEventAt(noon(day), over);
  const options = { url: system.stack.databaseUrl, applicationName: 'bills-test', maxConnections: 1, pipeline: true };
  const { pool } = servers.adopt(openDatabase(options), (database) => database.close());
  await recordEvents(pool, [
    at(yesterday, { model: 'gpt-4o', cost_nano_usd: nano(1.25) }),
    at(yesterday, { model: 'gpt-4o', cost_nano_usd: nano(1) }),
    at(before, { model: 'gpt-4o', cost_nano_usd: nano(1) }),
    at(before, { model: 'gpt-next', cost_nano_usd: 0, price_version: null }),
  ]);
});
afterAll(() => servers.disposeAsync());

interface Reconciliation {
  bills: { provider: string; is_set: boolean; read_at: string | null; error: string | null }[];
  rows: Record<string, unknown>[];
}

const none = { unrecorded_usd: 0, doubtful_usd: 0, other_day_usd: 0, unpriced_usd: 0, beside_usd: 0 };
const row = (day: string, model: string, recorded: number, billed: number, causes: Partial<typeof none>) => ({
  ...{ day, provider: 'openai', model, recorded_usd: recorded, billed_usd: billed },
  ...{ gap_usd: Math.round((billed - recorded) * 1e9) / 1e9, ...none, ...causes },
});

test('a bill is read soon after the start, and stands beside what is recorded, with its causes, as JSON and CSV', async () => {
  const { url: api } = await system.start('management', {
    BILLING_OPENAI_KEY: 'sk-admin-1',
    BILLING_OPENAI_ADDRESS: url,
  });
  const ask = (query: string, accept = 'application/json') =>
    fetch(`${api}/api/v1/costs/reconciliation?${query}`, {
      headers: { authorization: `Bearer ${system.apiKey}`, accept },
    });
  const read = async (query = '') => (await (await ask(query)).json()) as Reconciliation;
  await eventually(async () => expect((await read()).bills[0]?.read_at).not.toBeNull());
  const { bills, rows } = await read();
  expect(bills).toMatchObject([
    { provider: 'openai', setting: 'BILLING_OPENAI_KEY', is_set: true, error: null },
    { provider: 'anthropic', setting: 'BILLING_ANTHROPIC_KEY', is_set: false, read_at: null, error: null },
  ]);
  // What a day has too much may have been billed on another.
  const expected = [
    row(before, 'gpt-4o', 1, 0.75, { other_day_usd: -0.25 }),
    row(before, 'gpt-next', 0, 4.2, { unpriced_usd: 4.2 }),
    row(yesterday, 'gpt-4o', 2.25, 3.5, { other_day_usd: 0.25, beside_usd: 1 }),
  ];
  expect(rows).toEqual(expected);
  expect((await read(`from=${yesterday}`)).rows).toEqual(expected.slice(2));
  expect((await read(`to=${yesterday}&provider=openai`)).rows).toEqual(expected.slice(0, 2));
  expect((await read('provider=anthropic')).rows).toEqual([]);
  expect((await ask('provider=demo')).status).toBe(400);
  const csv = (await (await ask('', 'text/csv')).text()).split('\r\n').slice(0, -1);
  expect(csv).toEqual([Object.keys(rows[0] ?? {}), ...rows.map((each) => Object.values(each))].map(String));
});

test('each night one process reads it anew, and a failure is told without the key and tried again in an hour', async () => {
  let [asked, status] = [0, 200];
  const results = [{ amount: { value: '2.10', currency: 'usd' }, line_item: 'gpt-4o, input' }];
  const server = createServer((request, response) => {
    asked += 1;
    expect(request.url).not.toContain('project_id');
    const data = [{ start_time: Date.parse(yesterday) / 1_000, results }];
    response.writeHead(status).end(JSON.stringify({ data, has_more: false, next_page: null }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const billingOpenaiAddress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { applicationName: 'bills-test', maxConnections: 4 };
  const database = openGuardedDatabase({ ...options, url: system.toEnvironment('management').DATABASE_URL as string });
  const config = { billingOpenaiKey: 'sk-admin-2', billingOpenaiAddress };
  const logger = createLogger('management', 'silent');
  const keepers = [1, 2, 3].map(() => new BillKeeper({ db: database.db, records: database.db, config, logger }));
  const look = (time: number) => Promise.all(keepers.map((each) => each.look(new Date(time))));
  // The next one: the bill was read a moment ago.
  const night = Math.floor((Date.now() - 5 * hourMs) / dayMs + 1) * dayMs + 5 * hourMs;
  const stored = async () => {
    const { rows } = await system.database.pool.query(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, model, billed_usd::float8 AS usd FROM billed_days ORDER BY 1, 2`,
    );
    return rows.map(({ day, model, usd }) => [day, model, usd]);
  };

  await system.database.pool.query(
    `INSERT INTO billed_days SELECT provider, $1, model, 1, 1, 0, 0, 0, 0, 0 FROM billed_days WHERE model = 'gpt-next'`,
    [old],
  );
  await look(night - hourMs / 2);
  expect(asked).toBe(0);
  await look(night);
  await look(night + hourMs);
  expect(asked).toBe(1);
  // What is older than the days that were read stays.
  expect(await stored()).toEqual([
    [old, 'gpt-next', 1],
    [before, 'gpt-4o', 0],
    [before, 'gpt-next', 0],
    [yesterday, 'gpt-4o', 2.1],
  ]);

  status = 401;
  await look(night + dayMs);
  await look(night + dayMs + hourMs / 2);
  expect(asked).toBe(2);
  const { rows } = await system.database.pool.query(`SELECT error FROM bill_reads`);
  expect(rows).toEqual([
    { error: `${billingOpenaiAddress}/v1/organization/costs answered 401: is BILLING_OPENAI_KEY an admin key?` },
  ]);
  expect((await stored()).length).toBe(4);
  status = 200;
  await look(night + dayMs + 2 * hourMs);
  expect(asked).toBe(3);
  expect((await system.database.pool.query(`SELECT error FROM bill_reads`)).rows).toEqual([{ error: null }]);
  await database.close();
  server.close();
});
