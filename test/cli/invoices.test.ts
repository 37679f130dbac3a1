import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import { addDoubtfulUsage, addUnrecordedSpend, openDatabase, recordEvents } from '@agp/db';
import { makeEventAt } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { type System, startSystem } from '../system/start-system.ts';
import { runCli } from './run-cli.ts';

const nano = (usd: number) => Math.round(usd * 1e9);
const [before, first, second, third] = ['2026-11-08', '2026-11-09', '2026-11-10', '2026-11-11'] as const;
const past = '2026-10-20';
const charge = (day: string, item: string, usd: number, account = 'proj_agents') => ({
  day,
  item,
  nanoUsd: nano(usd),
  account,
});
const charges = {
  openai: [
    ...[first, second, third].flatMap((day) => [
      charge(day, 'gpt-4o-2024-08-06, input', 1.25),
      charge(day, 'gpt-4o-2024-08-06, cached input', 0.25),
      charge(day, 'gpt-4o-2024-08-06, output', 1.5),
    ]),
    charge(second, 'gpt-4o-2024-08-06, output', 2.5, 'proj_beside'),
    charge(first, 'gpt-next, output', 4.2),
    charge(first, 'gpt-4o-mini-2024-07-18, input', 1.75),
    charge(before, 'gpt-4o-mini-2024-07-18, input', 0.6),
    charge(second, 'gpt-4o-2024-08-06, output', 0.33),
    charge(third, 'text-embedding-3-small, input', 0.45),
  ],
  anthropic: [charge(second, 'claude-sonnet-4-5-20250929', 0.1234567), charge(past, 'claude-opus-4-5-20251101', 2)],
};
type Vendor = keyof typeof charges;

let system: System;
const urls = { openai: '', anthropic: '' };
const servers: AsyncDisposableStack = new AsyncDisposableStack();

const at = (day: string, over: Partial<EventMessage>) => makeEventAt(Date.parse(`${day}T12:00:00Z`), over);
const many = (day: string, count: number, over: Partial<EventMessage>) =>
  Array.from({ length: count }, () => at(day, over));

beforeAll(async () => {
  system = servers.use(await startSystem({ proxies: 0 }));
  for (const vendor of ['openai', 'anthropic'] as const) {
    const provider = await startDemoProvider({ host: '127.0.0.1', port: 0, charges: charges[vendor] });
    urls[vendor] = `${servers.use(provider).url}/${vendor}`;
  }
  const doubted = at(third, { model: 'text-embedding-3-small', cost_nano_usd: nano(0.1), labels: { unit: 'eu' } });
  const events = [
    ...[first, second, third].flatMap((day) => many(day, 3_000, { model: 'gpt-4o', cost_nano_usd: nano(0.001) })),
    // A model without a price, and batches whose results were fetched days later.
    ...many(first, 999, { model: 'gpt-next', cost_nano_usd: 0, price_version: null }),
    at(third, { model: 'gpt-4o-mini', cost_nano_usd: nano(1.75), labels: { team: 'sales, "EU"' } }),
    at(first, { model: 'gpt-4o-mini', cost_nano_usd: nano(0.6) }),
    doubted,
    at(second, { provider: 'anthropic', model: 'claude-sonnet-4-5', cost_nano_usd: nano(0.1234567) }),
    at(past, { provider: 'anthropic', model: 'claude-haiku-4-5', cost_nano_usd: nano(2) }),
  ];
  expect(events.length).toBeGreaterThan(10_000);
  const options = { url: system.stack.databaseUrl, applicationName: 'agp-test', maxConnections: 2, pipeline: true };
  const { pool } = servers.adopt(openDatabase(options), (database) => database.close());
  for (let from = 0; from < events.length; from += 500) await recordEvents(pool, events.slice(from, from + 500));
  const lost = at(second, {});
  const ids = { agentId: uuidOf('agt', lost.agent_id), sessionId: lost.session_id, provider: 'openai' };
  await addUnrecordedSpend(pool, [
    {
      ...{
        eventId: uuidOf('evt', lost.id),
        agentId: ids.agentId,
        day: second,
        costNanoUsd: nano(0.33),
        reason: 'lost',
      },
      request: { ...ids, model: 'gpt-4o' },
    },
  ]);
  await addDoubtfulUsage(pool, [
    {
      ...{ ...ids, eventId: uuidOf('evt', doubted.id), model: doubted.model, reason: 'claim_too_large' },
      ...{ claimedPromptTokens: 9e6, claimedCompletionTokens: 0, claimedCostNanoUsd: nano(0.9) },
      ...{ costNanoUsd: doubted.cost_nano_usd, occurredAt: Date.parse(doubted.timestamp) },
    },
  ]);
});
afterAll(() => servers.disposeAsync());

const keys = { OPENAI_ADMIN_KEY: 'sk-admin-1', ANTHROPIC_ADMIN_KEY: 'sk-ant-admin-1' };

interface Given {
  vendor?: Vendor;
  url?: string;
  environment?: Record<string, string>;
}

async function reconcile(args: string, { vendor = 'openai', url = urls[vendor], environment = keys }: Given = {}) {
  return agp(`costs reconcile --provider ${vendor} --base-url ${url} ${args}`, environment);
}

async function agp(args: string, environment: Record<string, string> = {}) {
  const connection = { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey };
  const run = await runCli(args.split(' '), { ...connection, ...environment });
  expect(run.stdout + run.stderr).not.toMatch(/sk-\w+-1/);
  return run;
}

const range = `--from ${first} --to 2026-11-12`;

test('of an invoice of 10,000 calls the gap is found and split by cause, to the cent', async () => {
  const { code, stdout, stderr } = await reconcile(range);
  const total = /^total .*$/m.exec(stdout)?.[0].split(/ {2,}/);
  expect(total).toEqual(['total', '11.45', '18.23', '6.78', '37.19 %', '0.33', '0.35', '-0.60', '4.20', '2.50']);
  expect(stdout).toMatch(/^gpt-next +0\.00 +4\.20 +4\.20 +100\.00 % +0\.00 +0\.00 +0\.00 +4\.20 +0\.00$/m);
  expect(stderr).toBe('13.71 % of what was billed did not pass here\nThe gap is 6.78 USD (37.19 %), more than 1 %.\n');
  expect(code).toBe(1);
});

test('what was recorded and not billed hides nothing that did not pass here', async () => {
  const { code, stderr } = await reconcile(`--from ${past} --to 2026-10-21`, { vendor: 'anthropic' });
  expect(stderr).toBe('100.00 % of what was billed did not pass here; 2.00 USD recorded was not billed\n');
  expect(code).toBe(0);
});

test('as JSON and CSV it is exact, by day and model', async () => {
  const { rows, gap_percent } = JSON.parse((await reconcile(`${range} --json`)).stdout);
  expect(gap_percent).toBeCloseTo(37.1914, 3);
  const none = { unrecorded_usd: 0, doubtful_usd: 0, other_day_usd: 0, unpriced_usd: 0, beside_usd: 0 };
  const expected = [
    {
      day: first,
      model: 'gpt-4o-mini',
      recorded_usd: 0.6,
      billed_usd: 1.75,
      gap_usd: 1.15,
      ...none,
      other_day_usd: 1.15,
    },
    {
      day: third,
      model: 'gpt-4o-mini',
      recorded_usd: 1.75,
      billed_usd: 0,
      gap_usd: -1.75,
      ...none,
      other_day_usd: -1.75,
    },
    {
      day: second,
      model: 'gpt-4o',
      recorded_usd: 3,
      billed_usd: 5.83,
      gap_usd: 2.83,
      ...none,
      unrecorded_usd: 0.33,
      beside_usd: 2.5,
    },
  ];
  for (const row of expected) expect(rows).toContainEqual(row);
  const csv = (await reconcile(`${range} --csv`)).stdout.split('\r\n');
  expect(csv[0]).toBe(Object.keys(rows[0]).join(','));
  expect(csv.slice(1, -1)).toEqual(rows.map((row: object) => Object.values(row).join(',')));
});

test('what agrees ends with 0, for one project or another vendor', async () => {
  // Of its own agents alone: 0.10 of what is recorded that day, in place of all of it.
  const to = (project: string) => `--from ${third} --to 2026-11-12 --billed-to ${project} --json --label unit=eu`;
  const project = JSON.parse((await reconcile(to('proj_agents'))).stdout);
  expect(project.total).toMatchObject({ recorded_usd: 0.1, billed_usd: 3.45, doubtful_usd: 0 });
  expect(JSON.parse((await reconcile(to('proj_none'))).stdout).total).toMatchObject({
    recorded_usd: 0.1,
    billed_usd: 0,
  });
  const folder = await mkdtemp(join(tmpdir(), 'agp-key-'));
  await writeFile(join(folder, 'key'), 'sk-ant-admin-1\n');
  const environment = { ANTHROPIC_ADMIN_KEY_FILE: join(folder, 'key') };
  const run = await reconcile(`${range} --json --tolerance 0`, { vendor: 'anthropic', environment });
  await rm(folder, { recursive: true });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout).total).toMatchObject({ recorded_usd: 0.1234567, billed_usd: 0.1234567, gap_usd: 0 });
});

test('what is no bill, or too much of one, is refused, and no key is shown', async () => {
  const page = (value: object) => JSON.stringify({ data: [], has_more: false, next_page: null, ...value });
  const euros = { amount: { value: 1, currency: 'eur' } };
  const answers: Record<string, string> = {
    euros: page({ data: [{ start_time: Date.parse(first) / 1_000, results: [euros] }] }),
    lost: page({ has_more: true }),
    endless: page({ has_more: true, next_page: 'again' }),
    html: '<html>',
    large: ' '.repeat(17 * 1024 * 1024),
  };
  const server = createServer((request, response) => {
    const [, name = ''] = request.url?.split('/') ?? [];
    if (name === 'moved') response.writeHead(302, { location: '/endless' });
    response.end(answers[name]);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cases: [args: string, given: Given, code: number, message: RegExp][] = [
    [`--to ${first}`, {}, 2, /--from and --to must be given/],
    ['--from 2026-01-01 --to 2026-11-12', {}, 2, /--to must be 1 to 92 days after/],
    [`${range} --billed-to proj_agents`, {}, 2, /do not name the project, key or workspace.*--billed-to and --label/],
    [`${range} --billed-to proj_agents --label team`, {}, 2, /--label.*It must be a label with its value/],
    [range, { environment: {} }, 1, /^No key: set OPENAI_ADMIN_KEY, or OPENAI_ADMIN_KEY_FILE/],
    [
      range,
      { environment: { OPENAI_ADMIN_KEY: 'sk-proj-1' } },
      1,
      /answered 401: is OPENAI_ADMIN_KEY an admin key\?$/m,
    ],
    [range, { url: 'http://127.0.0.1:1' }, 1, /gave no answer/],
    [range, { url: `${url}/moved` }, 1, /answered 302/],
    [range, { url: `${url}/html` }, 1, /gave no answer/],
    [range, { url: `${url}/euros` }, 1, /answered no report of costs in USD/],
    [range, { url: `${url}/lost` }, 1, /answered no report of costs in USD/],
    [range, { url: `${url}/endless` }, 1, /more than 100 pages/],
    [range, { url: `${url}/large` }, 1, /larger than/],
  ];
  for (const [args, given, code, message] of cases) {
    const run = await reconcile(args, given);
    expect({ given, ...run }).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  }
  server.close();
});

/** Columns that FOCUS 1.2 says must be there, and whether one may be null. */
const mandatory = {
  BilledCost: false,
  BillingAccountId: false,
  BillingAccountName: true,
  BillingCurrency: false,
  BillingPeriodEnd: false,
  BillingPeriodStart: false,
  ChargeCategory: false,
  ChargeClass: true,
  ChargeDescription: true,
  ChargePeriodEnd: false,
  ChargePeriodStart: false,
  ContractedCost: false,
  EffectiveCost: false,
  InvoiceIssuerName: false,
  ListCost: false,
  PricingQuantity: false,
  PricingUnit: false,
  ProviderName: false,
  PublisherName: false,
  ServiceCategory: false,
  ServiceName: false,
};

test('FOCUS 1.2 has its mandatory columns, and the sums of the records', async () => {
  const run = await agp(`costs export --focus --from ${first} --to 2026-11-12 --label team`);
  const [head = [], ...rows] = run.stdout
    .split('\r\n')
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        (cell) => cell[1]?.replaceAll('""', '"') ?? cell[2] ?? '',
      ),
    );
  expect(head).toEqual(expect.arrayContaining(Object.keys(mandatory)));
  const focus = head.filter((name) => !name.startsWith('x_'));
  expect(head.slice(0, focus.length)).toEqual(focus.toSorted());
  const read = rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] as string])));
  expect(read.length).toBeGreaterThan(10_000);
  for (const [name, isNullable] of Object.entries(mandatory))
    if (!isNullable) expect(read.filter((row) => row[name] === '')).toEqual([]);
  const sum = (name: string) => Math.round(1e7 * read.reduce((total, row) => total + Number(row[name]), 0));
  expect([sum('BilledCost'), sum('EffectiveCost')]).toEqual([115_734_567, 115_734_567]);
  expect(read.find(({ Tags }) => Tags !== '')).toMatchObject({
    ...{ BilledCost: '1.75', ContractedCost: '1.75', ListCost: '1.75', BillingCurrency: 'USD' },
    ...{ BillingPeriodStart: '2026-11-01T00:00:00Z', BillingPeriodEnd: '2026-12-01T00:00:00Z' },
    ...{ ChargePeriodStart: '2026-11-11T00:00:00Z', ChargePeriodEnd: '2026-11-12T00:00:00Z' },
    ...{
      ChargeCategory: 'Usage',
      ChargeClass: '',
      ChargeFrequency: 'Usage-Based',
      ServiceCategory: 'AI and Machine Learning',
    },
    ...{ ServiceSubcategory: 'Generative AI', ConsumedQuantity: '976', PricingUnit: 'Tokens', SkuId: 'gpt-4o-mini' },
    ...{ x_InputTokens: '812', x_OutputTokens: '164', x_RequestCount: '1', Tags: '{"team":"sales, \\"EU\\""}' },
  });
});
