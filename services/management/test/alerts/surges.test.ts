import { expect, test } from 'vitest';
import { makeEvent } from '../support/make-event.ts';
import { seedAgent, seedEvents } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

/** Records so many calls of an agent, all at once, so many hours ago. */
async function call(agentId: string, count: number, hours: number, usd = 0): Promise<void> {
  const at = new Date(Date.now() - hours * 3_600_000 - 60_000).toISOString();
  const fields = { cost_nano_usd: Math.round((usd / count) * 1e9) };
  const calls = Array.from({ length: count }, () => makeEvent(agentId, `ses_${agentId}_${hours}`, at, fields));
  await seedEvents(alerts.owner, calls);
}

test('an agent that asks many times what it did in its busiest hour is told, and one that always asks as much is not', async () => {
  await alerts.rule({ on: 'surge' });
  const [churn, batch] = [await seedAgent(alerts.owner, 'churn'), await seedAgent(alerts.owner, 'batch')];
  await call(churn, 11, 30);
  await call(churn, 300, 0);
  await call(batch, 80, 26);
  await call(batch, 300, 0);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent churn asks far more than usual: 300 requests in 10 min']);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'churn'`);
  await alerts.look(6);
  expect((await alerts.alerts()).open).toEqual([]);
});

test('an agent that spends many times what it did is told, however few its requests', async () => {
  await alerts.rule({ on: 'surge' });
  const agent = await seedAgent(alerts.owner, 'dear');
  await call(agent, 10, 30, 0.5);
  await call(agent, 10, 0, 12);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent dear spends far more than usual: 12.00 USD in 10 min']);
});

test('a new agent has no usual: it is told from ten times the least on', async () => {
  await alerts.rule({ on: 'surge', at_least: 20 });
  await call(await seedAgent(alerts.owner, 'rollout'), 150, 0);
  const wild = await seedAgent(alerts.owner, 'wild');
  await call(wild, 250, 0);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent wild asks far more than usual: 250 requests in 10 min']);
});
