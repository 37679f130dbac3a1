import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

test('an agent that asks many times what it did in its busiest hour is told, and one that always asks as much is not', async () => {
  await alerts.rule({ on: 'surge' });
  const [churn, batch] = [await seedAgent(alerts.owner, 'churn'), await seedAgent(alerts.owner, 'batch')];
  await alerts.call(churn, 11, {}, 1801);
  await alerts.call(churn, 300);
  await alerts.call(batch, 80, {}, 1561);
  await alerts.call(batch, 300);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent churn asks far more than usual: 300 requests in 10 min']);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'churn'`);
  await alerts.look(6);
  expect((await alerts.alerts()).open).toEqual([]);
});

test('an agent that spends many times what it did is told, however few its requests', async () => {
  await alerts.rule({ on: 'surge' });
  const agent = await seedAgent(alerts.owner, 'dear');
  await alerts.call(agent, 10, { cost_nano_usd: 50_000_000 }, 1801);
  await alerts.call(agent, 10, { cost_nano_usd: 1_200_089_265 }, 1);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent dear spends far more than usual: 12.00 USD in 10 min']);
});

test('a new agent has no usual: it is told from ten times the least on', async () => {
  await alerts.rule({ on: 'surge', at_least: 20 });
  await alerts.call(await seedAgent(alerts.owner, 'rollout'), 150);
  const wild = await seedAgent(alerts.owner, 'wild');
  await alerts.call(wild, 250);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent wild asks far more than usual: 250 requests in 10 min']);
});

test('a team whose agents together ask many times what they did is told by its label, and a usual one is not', async () => {
  await alerts.rule({ on: 'surge', by: 'label:team' });
  const names = ['one', 'two', 'three', 'usual', 'nobodys'];
  const ids = await Promise.all(names.map((name) => seedAgent(alerts.owner, name)));
  const teams = ['sales', 'sales', 'sales', 'ops', null];
  for (const [at, team] of teams.entries())
    await alerts.owner.pool.query('UPDATE agents SET metadata = $2 WHERE name = $1', [
      names[at],
      team === null ? {} : { team },
    ]);
  for (const [at, before] of [5, 6, 0, 80, 0].entries())
    if (before > 0) await alerts.call(ids[at] as string, before, {}, 1801);
  for (const [at, now] of [60, 50, 0, 200, 300].entries()) if (now > 0) await alerts.call(ids[at] as string, now);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['team sales asks far more than usual: 110 requests in 10 min']);
  const { rows } = await alerts.owner.pool.query('SELECT detail, reach FROM alerts');
  expect(rows).toEqual([{ detail: 'at most 11 in an hour of the week before; most of one, two', reach: 2 }]);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'one'`);
  await alerts.look(6);
  expect((await alerts.alerts()).open).toEqual([]);
});
