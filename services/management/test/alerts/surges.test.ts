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
