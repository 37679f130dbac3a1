import { costUsageSchema } from '@agp/core/contracts';
import { beforeAll, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
/** Postgres cuts names of columns that are longer. */
const long = `l${'o'.repeat(62)}`;

beforeAll(async () => {
  const clerk = await seedAgent(management.database, 'clerk', '2026-01-01T00:00:00.000Z');
  const make = (second: number, cost_nano_usd: number, labels?: Record<string, string>) =>
    makeEvent(clerk, 'ses_a', `2026-03-01T10:00:0${second}.000Z`, { cost_nano_usd, ...(labels && { labels }) });
  await seedEvents(management.database, [
    make(0, 5),
    make(1, 70, { team: '=sales', 'cost.center/x': '7', [long]: 'z' }),
    make(2, 100, { team: '=sales' }),
    make(3, 1, { team: 'ops', [long]: 'z' }),
  ]);
});

const path = '/api/v1/costs/usage?group_by=';

test.each([
  [
    'label:team',
    [
      [{ team: null }, 5],
      [{ team: '=sales' }, 170],
      [{ team: 'ops' }, 1],
    ],
  ],
  ['label:cost.center/x,label:team&top=1', [[{ 'cost.center/x': null, team: '=sales' }, 100]]],
  [
    `label:${long}g,label:${long}`,
    [
      [{ [`${long}g`]: null, [long]: null }, 105],
      [{ [`${long}g`]: null, [long]: 'z' }, 71],
    ],
  ],
])('by %s are the costs of the labels that agents had then, or of none', async (groups, expected) => {
  const { usage } = await management.read(path + groups, costUsageSchema);
  expect(usage.map(({ labels, total_cost_usd: cost }) => [labels, Math.round(cost * 1e9)])).toEqual(expected);
});

test('CSV has a column for each label, and events are found by theirs', async () => {
  const csv = await management.call(`${path}label:team`, { headers: { accept: 'text/csv' } });
  const lines = (await csv.text()).split('\r\n').map((line) => line.split(',').slice(0, 2).join());
  const expected = ['label:team,total_cost_usd', ',0.000000005', "'=sales,0.000000170", 'ops,0.000000001', ''];
  expect(lines).toEqual(expected);
  for (const groups of ['label:team,model', 'provider,label:z,label:team,day']) {
    const asked = await management.call(`${path}${groups}`, { headers: { accept: 'text/csv' } });
    expect(await asked.text()).toMatch(new RegExp(`^${groups},total_cost_usd,`));
  }
  for (const [label, count] of [
    ['team', 3],
    ['team=ops', 1],
    ['cost.center/x', 1],
    ['team=x', 0],
  ] as const)
    expect(await (await management.call(`/api/v1/events?label=${label}`)).json()).toHaveLength(count);
});
