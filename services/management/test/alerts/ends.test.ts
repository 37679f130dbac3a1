import { ruleSchema } from '@agp/alerts';
import { budgetSchema } from '@agp/budgets';
import { uuidOf } from '@agp/core/ids';
import { appendAudit, createDocument, deleteDocument, listAlerts, replaceDocument } from '@agp/db';
import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();
const failed = { outcome: 'completed', http_status: 401 } as const;

/** Titles of alerts that are over, with what ended each; null if nobody says so. */
async function listEnds(): Promise<[title: string, end: string | null][]> {
  const rows = await listAlerts(alerts.database.db, { state: 'resolved' }, { limit: 10, offset: 0 });
  return rows.map(({ title, detail }) => [title, /over: (.*)$/.exec(detail)?.[1] ?? null]);
}

test('what failed answered again, or nothing was asked of it, or its agent was blocked', async () => {
  await alerts.rule({ on: 'failing' });
  const [one, other, third] = [
    await seedAgent(alerts.owner, 'one'),
    await seedAgent(alerts.owner, 'other'),
    await seedAgent(alerts.owner, 'third'),
  ];
  for (const agent of [one, other])
    await alerts.call(agent, 20, { ...failed, provider: 'gemini', model: `of-${agent}` });
  await alerts.call(third, 20, { ...failed, provider: 'openai', model: 'gpt-5' });
  const silent = await seedAgent(alerts.owner, 'silent');
  await alerts.call(silent, 20, { ...failed, provider: 'anthropic', model: 'claude-5' });
  await alerts.look();
  expect((await alerts.alerts()).open).toHaveLength(3);
  await alerts.call(one, 30, { provider: 'gemini', model: 'g' }, 0);
  await appendAudit(alerts.owner.db, [
    {
      ...{ actor: { kind: 'api_key', id: 'key_1', name: 'ops-1' }, action: 'agent.update', agent_id: third },
      ...{ source_ip: null, target: null, before: { status: 'active' }, after: { status: 'blocked' }, count: 1 },
    },
  ]);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE id = $1`, [uuidOf('agt', third)]);
  await alerts.look(130);
  expect((await listEnds()).sort()).toEqual([
    ['agent silent fails: all 20 requests', 'no request since'],
    ['agent third fails: all 20 requests', 'the agent was blocked by key ops-1'],
    ['provider gemini fails: all 40 requests', 'the provider answered again'],
  ]);
});

test('a cap was raised or taken away, or its day is over', async () => {
  await alerts.rule({ on: 'cap', at_percent: [50] });
  const agents = ['raised', 'without', 'next-day'];
  for (const name of agents) await alerts.call(await seedAgent(alerts.owner, name), 10, {}, 0);
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 0.00003');
  await alerts.look();
  const set = (name: string, cap: number | null) =>
    alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = $2 WHERE name = $1', [name, cap]);
  await set('raised', 1.5);
  await set('without', null);
  await alerts.look(0.2);
  await alerts.owner.pool.query(`UPDATE alerts SET "window" = '2020-01-01 0.00003' WHERE resolved_at IS NULL`);
  await alerts.look(0.4);
  const told = Object.fromEntries((await listEnds()).map(([title, end]) => [title.split(' ')[3], end]));
  expect(told).toEqual({
    ...{ raised: 'the cap was raised to 1.50 USD', without: 'the cap was taken away' },
    'next-day': 'a new day began (UTC)',
  });
});

test('a budget was raised or deleted, or its window is over', async () => {
  await alerts.rule({ on: 'budget', projected: false });
  for (const [name, window] of [
    ['raised', 'day'],
    ['gone', 'month'],
    ['over', 'week'],
  ] as const) {
    const budget = budgetSchema.parse({ name, unit: 'requests', amount: 10, window });
    const row = await createDocument(alerts.database.db, 'budget', { document: budget }, { most: 10, team: null });
    if ('code' in row) throw new Error(row.code);
    await alerts.owner.pool.query('UPDATE budgets SET active = budget, active_epoch = epoch');
  }
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 10, {}, 0);
  await alerts.look();
  expect((await alerts.alerts()).open).toHaveLength(3);
  await alerts.owner.pool.query(`UPDATE budgets SET active = active || '{"amount": 1200}' WHERE name = 'raised'`);
  await alerts.owner.pool.query(`DELETE FROM budgets WHERE name = 'gone'`);
  await alerts.owner.pool.query(
    `UPDATE alerts SET "window" = '2020-01-06T00:00:00.000Z 10 requests' WHERE title LIKE '%over%'`,
  );
  await alerts.look(0.1);
  const told = Object.fromEntries((await listEnds()).map(([title, end]) => [title.split(' ')[1], end]));
  expect(told).toEqual({
    ...{ raised: 'the budget was raised to 1,200 requests', gone: 'the budget was deleted', over: 'its week is over' },
  });
});

test('a rule was deleted, disabled or changed, and of what nobody knows nothing is said', async () => {
  const rule = { name: 'percents', on: 'cap', at_percent: [50] };
  const percents = await alerts.rule(rule);
  const gone = await alerts.rule({ name: 'gone', on: 'cap', at_percent: [40] });
  const off = { name: 'off', on: 'failing' };
  const disabled = await alerts.rule(off);
  await alerts.rule({ name: 'data', on: 'pii' });
  const agent = await seedAgent(alerts.owner, 'nightly');
  await alerts.call(agent, 20, { ...failed, pii_detected: true, pii_types: ['email'] }, 0);
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 0.00006');
  await alerts.look();
  expect((await alerts.alerts()).open).toHaveLength(4);
  const { db } = alerts.database;
  await deleteDocument(db, 'rule', gone);
  await replaceDocument(db, 'rule', disabled, () => ({ document: ruleSchema.parse({ ...off, enabled: false }) }));
  await replaceDocument(db, 'rule', percents, () => ({ document: ruleSchema.parse({ ...rule, at_percent: [99] }) }));
  await alerts.look(70);
  const rows = await listAlerts(db, { state: 'resolved' }, { limit: 10, offset: 0 });
  expect(Object.fromEntries(rows.map((row) => [row.rule, row.detail.split('over: ')[1] ?? null]))).toEqual({
    ...{ percents: 'its rule was changed', gone: 'its rule was deleted' },
    ...{ off: 'its rule was changed or disabled', data: null },
  });
});

test('of what stands for more causes nothing is said, and what cannot be found out ends without a phrase', async () => {
  const rule = { on: 'cap', at_percent: [50] };
  const told = await alerts.rule({ name: 'told', ...rule });
  await alerts.rule({ name: 'broken', ...rule });
  await alerts.rule({ name: 'whole', ...rule });
  for (const name of ['one', 'other']) await alerts.call(await seedAgent(alerts.owner, name), 10, {}, 0);
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 0.00003');
  await alerts.look();
  const { open } = await alerts.alerts();
  expect(open).toHaveLength(6);
  const rename = (subject: string, of: string) =>
    alerts.owner.pool.query(
      `UPDATE alerts SET subject = $1 WHERE id = (SELECT id FROM alerts WHERE rule = $2 ORDER BY title LIMIT 1)`,
      [subject, of],
    );
  await rename('more', 'told');
  // No UUID: what is asked of it fails.
  await rename('nobody 50', 'broken');
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = NULL');
  await alerts.look(0.2);
  expect((await alerts.alerts()).open).toEqual([]);
  const rows = await listAlerts(alerts.database.db, { state: 'resolved' }, { limit: 10, offset: 0 });
  const ends = Map.groupBy(rows, (row) => row.rule);
  const endsOf = (name: string) => ends.get(name)?.map(({ detail }) => detail.split('over: ')[1] ?? null);
  expect(endsOf('told')).toEqual(expect.arrayContaining([null, 'the cap was taken away']));
  expect(endsOf('broken')).toEqual([null, null]);
  expect(endsOf('whole')).toEqual(['the cap was taken away', 'the cap was taken away']);
  expect(rows.find(({ rule_id: id, subject }) => id === told && subject === 'more')?.resolved_at).toBeInstanceOf(Date);
});
