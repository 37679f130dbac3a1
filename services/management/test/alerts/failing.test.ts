import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

const failed = { outcome: 'completed', http_status: 401 } as const;

test('an agent that fails is told once, with its end', async () => {
  await alerts.target('on-call');
  await alerts.rule({ on: 'failing', targets: ['on-call'] });
  const nightly = await seedAgent(alerts.owner, 'nightly');
  await alerts.call(nightly, 12, failed);
  await alerts.look();
  await alerts.look(0.2);
  expect(await alerts.alerts()).toEqual({ open: ['agent nightly fails: all 12 requests'], over: [] });
  await alerts.call(nightly, 100);
  await alerts.look(1);
  await alerts.look(4);
  expect((await alerts.alerts()).over).toEqual([]);
  await alerts.look(7);
  expect(await alerts.messages()).toEqual([
    'on-call opened: agent nightly fails: all 12 requests',
    'on-call resolved: agent nightly fails: all 12 requests',
  ]);
});

test('what fails for many is told of the provider, not of each agent, and what fails for one of that agent', async () => {
  await alerts.rule({ on: 'failing' });
  for (const name of ['a', 'b', 'c'])
    await alerts.call(await seedAgent(alerts.owner, name), 20, {
      ...failed,
      provider: 'gemini',
      model: `gemini-${name}`,
    });
  await alerts.call(await seedAgent(alerts.owner, 'lonely'), 20, {
    ...failed,
    provider: 'anthropic',
    model: 'claude-5',
  });
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual([
    'agent lonely fails: all 20 requests',
    'provider gemini fails: all 60 requests',
  ]);
});

test('what a blocked agent did before its block is no fault of its model', async () => {
  await alerts.rule({ on: 'failing' });
  const model = { ...failed, model: 'gpt-4.1', provider: 'openai' };
  const first = await seedAgent(alerts.owner, 'first');
  await alerts.call(first, 60, model);
  await alerts.call(await seedAgent(alerts.owner, 'second'), 40, model);
  await alerts.call(await seedAgent(alerts.owner, 'third'), 30, { model: 'gpt-4.1', provider: 'openai' });
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'first'`);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent second fails: all 40 requests']);
});

test('what a blocked agent was answered before its block still says that its provider works', async () => {
  await alerts.rule({ on: 'failing', of: ['provider'] });
  const openai = { provider: 'openai' };
  for (const name of ['a', 'b', 'c'])
    await alerts.call(await seedAgent(alerts.owner, name), 12, { ...failed, ...openai });
  await alerts.call(await seedAgent(alerts.owner, 'busy'), 240, openai);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'busy'`);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual([]);
});

test('an outage says who suffers from it', async () => {
  await alerts.rule({ on: 'failing' });
  for (const [name, count] of Object.entries({ a: 30, b: 20, c: 15, d: 12 }))
    await alerts.call(await seedAgent(alerts.owner, name), count, { ...failed, provider: 'gemini', model: 'gemini-9' });
  await alerts.look();
  const { rows } = await alerts.owner.pool.query('SELECT title, detail, reach, cardinality(agent_ids) FROM alerts');
  expect(rows).toEqual([
    {
      title: 'provider gemini fails: all 77 requests',
      detail: expect.stringMatching(/mostly 401; most of a \(30\), b \(20\), c \(15\)$/),
      ...{ reach: 4, cardinality: 0 },
    },
  ]);
});

test('an agent that always failed as often, or that is blocked, is not told', async () => {
  await alerts.rule({ on: 'failing' });
  const usual = await seedAgent(alerts.owner, 'usual');
  await alerts.call(usual, 50, failed, 3 * 1_440);
  await alerts.call(usual, 20, failed);
  const blocked = await seedAgent(alerts.owner, 'blocked');
  await alerts.call(blocked, 20, failed);
  await alerts.owner.pool.query(`UPDATE agents SET status = 'blocked' WHERE name = 'blocked'`);
  await alerts.look();
  expect(await alerts.alerts()).toEqual({ open: [], over: [] });
});

test('a rule with a scope is of the agents that it names', async () => {
  await alerts.rule({ on: 'failing', match: { agents: ['mine-*'] } });
  for (const name of ['mine-1', 'theirs']) await alerts.call(await seedAgent(alerts.owner, name), 20, failed);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['agent mine-1 fails: all 20 requests']);
});

test('a run of successes ends what failed, though many failures are of the last minutes', async () => {
  await alerts.rule({ on: 'failing', quiet_minutes: 0 });
  const nightly = await seedAgent(alerts.owner, 'nightly');
  await alerts.call(nightly, 40, failed, 3);
  await alerts.look();
  await alerts.call(nightly, 30, {}, 1);
  await alerts.look(0.5);
  expect(await alerts.alerts()).toEqual({ open: [], over: ['agent nightly fails: all 40 requests'] });
});

test('an outage after a busy time is told of the provider at once, and not of each agent', async () => {
  await alerts.rule({ on: 'failing' });
  const at = { provider: 'azure', model: 'gpt-5' };
  for (const name of ['a', 'b', 'c', 'd']) await alerts.call(await seedAgent(alerts.owner, `busy-${name}`), 110, at, 6);
  for (const name of ['a', 'b', 'c', 'd'])
    await alerts.call(await seedAgent(alerts.owner, name), 14, { ...at, ...failed }, 0.3);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['provider azure fails: all 56 requests']);
});
