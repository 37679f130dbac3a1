import { costBreakdownSchema, costSummarySchema, costUsageSchema } from '@agp/core/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const path = '/api/v1/costs/usage';
const tenth = 100_000_000;

const management = shareTestManagement();
let alice: string;
let bob: string;
beforeAll(async () => {
  alice = await seedAgent(management.database, 'alice', '2026-01-01T00:00:00.000Z');
  bob = await seedAgent(management.database, '=bob', '2026-01-02T00:00:00.000Z');
  const demo = { model: '-1+1', provider: 'demo' };
  const half = { counts_as_request: false, direction: 'request', completion_tokens: 0, cost_nano_usd: 0 } as const;
  await seedEvents(management.database, [
    // Ten times 0.1 is 0.9999999999999999 in doubles.
    ...Array.from({ length: 10 }, (_, at) =>
      makeEvent(alice, 'ses_a', `2026-03-01T09:59:59.99${at}Z`, {
        cost_nano_usd: tenth,
        model: 'o3',
        labels: { team: '=sales', 'cost.center/x': '7' },
      }),
    ),
    makeEvent(alice, 'ses_a', '2026-03-01T10:00:00.000Z', {
      cost_nano_usd: 1,
      model: 'Z',
      compliance_tag: 'pci',
      labels: { team: 'ops' },
    }),
    makeEvent(alice, 'ses_a', '2026-03-01T23:59:59.999Z', { ...half, model: 'Z' }),
    makeEvent(bob, 'ses_b', '2026-03-02T00:00:00.000Z', {
      ...demo,
      cost_nano_usd: 5,
      duration_ms: 150,
      http_status: 503,
    }),
    makeEvent(bob, 'ses_b', '2026-03-09T12:30:00.000Z', { ...demo, cost_nano_usd: 7, duration_ms: 250 }),
  ]);
});

const read = (query = '') => management.read(`${path}${query}`, costUsageSchema);
/** Entries by what they are grouped by, and what they cost in nano-dollars. */
const costs = async (query: string) =>
  (await read(query)).usage.map(({ total_cost_usd: cost, total_prompt_tokens: _, ...entry }) => {
    const { total_completion_tokens: __, total_tokens: ___, request_count: ____, agent_id: _____, ...others } = entry;
    const { failed_count: ______, p50_ms: _______, p95_ms: ________, ...spans } = others;
    const { first_byte_p50_ms: _________, first_byte_p95_ms: __________, ...keys } = spans;
    return [...Object.values(keys), Math.round(cost * 1e9)];
  });

describe('usage', () => {
  test('of all time is one exact sum, that of the summary', async () => {
    const summary = await management.read('/api/v1/costs/summary', costSummarySchema);
    const { date_from: _, date_to: __, agent_count: ___, ...sums } = summary;
    const results = { failed_count: 1, p50_ms: 2_267, p95_ms: 3_107, first_byte_p50_ms: 600, first_byte_p95_ms: 780 };
    expect(await read()).toEqual({
      from: null,
      to: null,
      time_zone: 'UTC',
      group_by: [],
      usage: [{ ...sums, ...results }],
    });
    expect(sums).toMatchObject({ total_cost_usd: 1.000000013, request_count: 13 });
  });

  test('by agent equals the breakdown, from whichever table it is read', async () => {
    const breakdown = await management.read('/api/v1/costs/breakdown', costBreakdownSchema);
    const expected = breakdown
      .map(({ avg_cost_per_request_usd: _, models_used: __, ...entry }) => entry)
      .sort((one, other) => one.agent_id.localeCompare(other.agent_id));
    for (const range of [
      '',
      '&from=2026-03-01&to=2026-03-10',
      '&from=2026-03-01T01:00:00Z',
      '&from=0001-01-01&to=9999-12-31',
    ])
      expect((await read(`?group_by=agent${range}`)).usage, range).toMatchObject(expected);
    for (const group_by of [
      'hour',
      'day',
      'model',
      'provider',
      'tag',
      'tag,provider,model,agent,hour',
      'label:team,label:x',
    ]) {
      const { usage } = await read(`?group_by=${group_by}`);
      const nanos = usage.reduce((sum, { total_cost_usd }) => sum + Math.round(total_cost_usd * 1e9), 0);
      expect([group_by, nanos]).toEqual([group_by, 1_000_000_013]);
    }
  });

  test('of one agent is its part of the sums, from whichever table it is read, and of no agent nothing', async () => {
    for (const groups of [
      '',
      '&group_by=model',
      '&group_by=day',
      '&group_by=hour,provider',
      '&from=2026-03-01T01:00:00Z',
    ]) {
      const sum = async (id: string) => (await read(`?agent_id=${id}${groups}`)).usage;
      const nanos = async (id: string) =>
        (await sum(id)).reduce((total, { total_cost_usd }) => total + Math.round(total_cost_usd * 1e9), 0);
      expect([groups, await nanos(alice), await nanos(bob)]).toEqual([groups, 1_000_000_001, 12]);
      for (const id of ['agt_01k9r3v8w5f2q8m6t4n0x7y1za', "'; DROP TABLE agents"])
        expect([id, await nanos(id)]).toEqual([id, 0]);
    }
    expect((await read(`?agent_id=${bob}&group_by=agent`)).usage).toMatchObject([{ agent_id: bob, request_count: 2 }]);
  });

  test('may be those that failed most, with a bound', async () => {
    const sums = (await read('?group_by=model,provider')).usage;
    const order = (query: string) => read(`?group_by=model,provider&top=2${query}`);
    const failed = sums.toSorted((a, b) => b.failed_count - a.failed_count || b.request_count - a.request_count);
    expect((await order('&order=failed')).usage.map(({ model }) => model)).toEqual(
      failed.slice(0, 2).map(({ model }) => model),
    );
    expect((await order('&order=failed')).usage).not.toEqual((await order('&order=cost')).usage);
    await management.refuse(await management.call('/api/v1/costs/usage?order=failed'), 400, /order: needs top/);
  });

  test('may be the dearest entries alone', async () => {
    const all = await costs('?group_by=model,provider');
    const dearest = all.toSorted((one, other) => Number(other.at(-1)) - Number(one.at(-1)));
    expect(dearest.map((row) => row.at(-1))).toEqual([1_000_000_000, 12, 1]);
    for (const top of [1, 2, 3, 1_000])
      expect(await costs(`?group_by=model,provider&top=${top}`)).toEqual(dearest.slice(0, top));
    expect(await costs('?top=5')).toEqual([[1_000_000_013]]);
    for (const query of ['?top=0', '?top=1001', '?top=x', '?top=5&group_by=day', '?top=5&group_by=hour,agent']) {
      const answer = await management.call(path + query);
      expect([query, answer.status, await answer.text()]).toEqual([query, 400, expect.stringContaining('top')]);
    }
  });

  test('of a range that ends within days is that of its hours, though whole days are read as such', async () => {
    const times = ['2026-02-28T07:00:00Z', '2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z', '2026-03-02T00:00:00Z'];
    const pairs = [...times, '2026-03-09T12:00:00Z', '2026-03-09T13:00:00Z'].flatMap((from, at, all) =>
      all.slice(at + 1).map((to) => `&from=${from}&to=${to}`),
    );
    for (const range of [...pairs, '&to=2026-03-09T12:00:00Z', '&from=2026-03-01T10:00:00Z']) {
      for (const group of ['agent', 'day', 'day,model']) {
        const sums = Object.groupBy(await costs(`?group_by=${group},provider${range}`), (row) =>
          String(row.slice(0, -2)),
        );
        const ofHours = Object.entries(sums).map(
          ([of, rows]) => `${of}: ${rows?.reduce((sum, row) => sum + Number(row.at(-1)), 0)}`,
        );
        const shown = (await costs(`?group_by=${group}${range}`)).map((row) => `${row.slice(0, -1)}: ${row.at(-1)}`);
        expect(shown, `${group}${range}`).toEqual(ofHours);
      }
    }
  });

  test.each(['0000-01-01', '0000-01-01T00:00:00+14:00'])('of a range from %s is that of all time', async (from) => {
    const range = new URLSearchParams({ from, to: '9999-12-31T23:00:00-01:00' });
    for (const group of ['agent', 'provider']) {
      const response = await management.call(`${path}?group_by=${group}&${range}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ usage: (await read(`?group_by=${group}`)).usage });
    }
  });

  test.each([
    [
      '?group_by=day',
      [
        ['2026-03-01', 1_000_000_001],
        ['2026-03-02', 5],
        ['2026-03-09', 7],
      ],
    ],
    [
      '?group_by=day,agent',
      [
        ['2026-03-01', 'alice', 1_000_000_001],
        ['2026-03-02', '=bob', 5],
        ['2026-03-09', '=bob', 7],
      ],
    ],
    [
      '?group_by=hour&to=2026-03-02',
      [
        ['2026-03-01T09:00:00.000Z', 1e9],
        ['2026-03-01T10:00:00.000Z', 1],
        ['2026-03-01T23:00:00.000Z', 0],
      ],
    ],
    ['?group_by=hour,model&from=2026-03-01T10:00:00Z&to=2026-03-01T11:00:00Z', [['2026-03-01T10:00:00.000Z', 'Z', 1]]],
    [
      '?group_by=day&from=2026-03-01T10:00:00Z&to=2026-03-09T12:00:00Z',
      [
        ['2026-03-01', 1],
        ['2026-03-02', 5],
      ],
    ],
    [
      '?group_by=model',
      [
        ['-1+1', 12],
        ['Z', 1],
        ['o3', 1e9],
      ],
    ],
    [
      '?group_by=tag,provider',
      [
        ['demo', 'default', 12],
        ['openai', 'default', 1e9],
        ['openai', 'pci', 1],
      ],
    ],
    ['?group_by=agent,tag&from=2026-03-01T12:00:00%2B02:00&to=2026-03-01T11:00:00Z', [['alice', 'pci', 1]]],
    ['?group_by=day&from=2027-01-01', []],
    ['?from=2027-01-01', [[0]]],
  ])('%s', async (query, expected) => {
    expect(await costs(query)).toEqual(expected);
  });

  test('names the range that it is of, where that was relative', async () => {
    const { from, to } = await read('?from=7d&to=24h');
    const hour = 3_600_000;
    expect([from, to].map((time) => Date.parse(time ?? '') % hour)).toEqual([0, 0]);
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(6 * 24 * hour);
  });

  test('comes as CSV with the columns asked for', async () => {
    const response = await management.call(`${path}?group_by=agent,model&from=2026-03-02`, {
      headers: { accept: 'text/csv' },
    });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=costs-usage.csv');
    expect(await response.text()).toBe(
      'agent_id,agent_name,model,total_cost_usd,total_prompt_tokens,total_completion_tokens,total_tokens,request_count,failed_count,p50_ms,p95_ms,first_byte_p50_ms,first_byte_p95_ms\r\n' +
        `${bob},'=bob,'-1+1,0.000000012,20,10,30,2,1,200,380,600,780\r\n`,
    );
  });

  test.each([
    '',
    'label:a,label:b,label:c,label:d,label:e',
    'hour,day',
    'agent,',
    'toString',
    ' day',
    Array(1_000).fill('day').join(','),
    Array.from({ length: 1_000 }, (_, at) => `x${at}`).join(','),
  ])('by %j is refused, and the message says by what it may be', async (group_by) => {
    const error =
      'group_by: must be some of hour, day, agent, model, provider, tag and label:NAME, each once, with commas between them, and not both hour and day';
    await management.refuse(await management.call(`${path}?group_by=${group_by}`), 400, error);
  });

  test.each([
    ['from=2026-03-01T10:30:00Z', 'from: must be the start of an hour in UTC: usage is summed by hour'],
    ['to=2026-03-01T10:00:00%2B05:30', 'to: must be the start of an hour in UTC: usage is summed by hour'],
    ['from=2026-03-02&to=2026-03-01', 'from: must be earlier than to'],
    ['from=tomorrow', /^from: must be a time such as /],
    ['grain=hour', /^grain: unknown parameter; those that exist: from, to, agent_id, group_by, top, order$/],
  ])('of ?%s is refused', async (query, error) => {
    await management.refuse(await management.call(`${path}?${query}`), 400, error);
  });

  test('of a hundred years by hour reads what there is, a day at a time and in pages', async () => {
    await using own = await startTestManagement();
    await seedAgent(own.database, 'long');
    await own.database.pool.query(`
      INSERT INTO hourly_usage
      SELECT hour, (SELECT id FROM agents), 'model ' || m, 'openai', 'default', 1, 1, 0.000000001, 1, 1
      FROM unnest(ARRAY['1970-01-01Z', '2026-03-01Z', '2069-12-31 23:00Z']::timestamptz[]) hour, generate_series(1, 4500) m`);
    const { usage } = await own.read(
      `${path}?group_by=hour,agent,model&from=1970-01-01&to=2070-01-01`,
      costUsageSchema,
    );
    expect(usage).toHaveLength(3 * 4_500);
    expect(new Set(usage.map(({ hour, model }) => `${hour} ${model}`)).size).toBe(3 * 4_500);
    const { usage: models } = await own.read(`${path}?group_by=provider,model`, costUsageSchema);
    expect(models).toHaveLength(4_500);
    expect(models.every(({ request_count }) => request_count === 3)).toBe(true);
    expect((await own.read(`${path}?group_by=hour&from=2069-01-01`, costUsageSchema)).usage).toMatchObject([
      { hour: '2069-12-31T23:00:00.000Z', total_cost_usd: 0.0000045 },
    ]);
  });
});
