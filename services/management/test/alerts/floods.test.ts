import { randomUUIDv7 } from 'node:crypto';
import { fromPublicId } from '@agp/core/ids';
import { addRefusals, appendAudit, claimDeliveries } from '@agp/db';
import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

/** Counts refusals of a new agent. @param earlier a statement that tells what came before */
async function refuse(name: string, count: number, earlier: string, reason = 'rate_limited'): Promise<string> {
  const agent = await seedAgent(alerts.owner, name);
  const id = fromPublicId('agt', agent);
  const request = {
    requestId: 'r',
    sourceIp: '::1',
    provider: null,
    path: null,
    rule: null,
    decision: null,
    told: null,
  };
  const listed = { ...request, id: randomUUIDv7(), agentId: id, reason, count, added: count };
  const now = Date.now();
  await addRefusals(alerts.owner.pool, [
    { agentId: id, reason, count, minute: now, refusedAt: now, sourceIp: '::1', requests: [listed] },
  ]);
  await alerts.owner.pool.query(earlier, [id]);
  return agent;
}

const toolsOf = (kind: 'client' | 'remote_mcp', names: readonly string[]) => ({
  tools: { declared: names.map((name) => ({ kind, names: [name] })), called: [], more: 0 },
});
const list = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}`);

test('an agent that invents names uses up its own share, which is told once, and hides nobody else’s', async () => {
  await alerts.rule({ on: 'first_seen', of: ['tool'] });
  const inventor = await seedAgent(alerts.owner, 'inventor');
  const named = async () => (await alerts.alerts()).over.filter((title) => !/ and \d+ more$/.test(title));
  for (let round = 0; round < 6; round += 1) {
    await alerts.call(inventor, 1, toolsOf('client', list(100, `made-up-${round}`)));
    await alerts.look();
  }
  await alerts.call(inventor, 1, toolsOf('client', ['rm_rf']));
  await alerts.call(await seedAgent(alerts.owner, 'other'), 1, toolsOf('client', ['drop_table']));
  await alerts.look();
  expect((await named()).sort()).toEqual([
    'first use of tool drop_table',
    'no room for more names of tools: what is new from now on is not told',
  ]);
  const { rows } = await alerts.owner.pool.query(`SELECT count(*)::integer FROM seen_names WHERE kind = 'tool'`);
  expect(rows).toEqual([{ count: 501 }]);
});

test('a rule sends five messages a minute and one for the rest, and a critical alert goes before them', async () => {
  await alerts.target('chat');
  await alerts.rule({ on: 'first_seen', of: ['remote_mcp'], targets: ['chat'] });
  await alerts.rule({ name: 'critical', on: 'failing', targets: ['chat'] });
  for (const name of list(12, 'open')) {
    await alerts.call(await seedAgent(alerts.owner, name), 1, toolsOf('remote_mcp', list(5, `${name}-server`)));
    if (name.endsWith('5')) await alerts.look();
  }
  await alerts.look();
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, { outcome: 'completed', http_status: 401 });
  await alerts.look(0.5);
  const messages = await alerts.messages();
  expect(messages.filter((each) => each.includes('first use'))).toHaveLength(5);
  expect(messages.filter((each) => each.includes('rule rule: more than 5 alerts in a minute'))).toHaveLength(1);
  expect((await alerts.alerts()).over).toHaveLength(61);
  const claim = async () => (await claimDeliveries(alerts.database.db, { most: 1, taken: new Map() }))[0]?.alert?.title;
  expect([await claim(), await claim()]).toEqual([
    'agent nightly fails: all 20 requests',
    expect.stringMatching(/^first use of MCP server open-/),
  ]);
});

test('what one policy does to many agents is one alert that names the worst, and one message', async () => {
  await alerts.target('chat');
  await alerts.rule({ name: 'policies', on: 'policy', targets: ['chat'] });
  await alerts.rule({ name: 'data', on: 'pii', targets: ['chat'] });
  const decision = [{ policy: 'no-shell', version: 1, rule: 'tools.client', action: 'warn' as const }];
  const found = { pii_detected: true, pii_types: ['email'], compliance_tag: 'gdpr' };
  const agents = list(105, 'open');
  for (const name of agents)
    await alerts.call(await seedAgent(alerts.owner, name), 1 + Number(name === 'open-7'), { decision, ...found });
  await alerts.look();
  const { open } = await alerts.alerts();
  expect(open.sort()).toEqual([
    'email in 106 events of 105 agents in 1 h',
    'policy no-shell: warned of 106 requests of 105 agents in 1 h',
  ]);
  expect(await alerts.messages()).toHaveLength(2);
  const { rows } = await alerts.owner.pool.query(`SELECT detail, agent_id FROM alerts WHERE kind = 'policy'`);
  expect(rows).toEqual([
    { agent_id: null, detail: expect.stringMatching(/^rule tools\.client; most of open-7 \(2\), /) },
  ]);
});

test('a model without a price for each request is one alert of its provider', async () => {
  await alerts.rule({ on: 'cost' });
  const agent = await seedAgent(alerts.owner, 'inventor');
  const free = { provider: 'openai', price_version: null, cost_nano_usd: 0 };
  for (const model of list(150, 'invented')) await alerts.call(agent, 1, { ...free, model });
  await alerts.call(agent, 1, { ...free, provider: 'gemini', model: 'gemini-9' });
  await alerts.look();
  expect((await alerts.alerts()).open.sort()).toEqual([
    'gemini-9 at gemini has no price',
    expect.stringMatching(/^invented-\d+ at openai and 149 more have no price$/),
  ]);
});

test('an alert of one agent that grows leads to what it is of by then', async () => {
  await alerts.rule({ on: 'pii' });
  const found = { pii_detected: true, pii_types: ['email'] };
  await alerts.call(await seedAgent(alerts.owner, 'first'), 1, found);
  await alerts.look();
  await alerts.call(await seedAgent(alerts.owner, 'second'), 1, found);
  await alerts.look(0.5);
  const { rows } = await alerts.owner.pool.query('SELECT title, agent_id, path FROM alerts');
  expect(rows).toEqual([
    {
      title: 'email in 2 events of 2 agents in 1 h',
      agent_id: null,
      path: expect.stringMatching(/^.events.pii_type=email/),
    },
  ]);
});

test('refusals are compared with all of the week before, whether rolled up yet or not', async () => {
  await alerts.rule({ on: 'refusals' });
  const usual = 168 * 60;
  await refuse('never-before', 100, 'SELECT $1::uuid');
  await refuse(
    'counted',
    100,
    `INSERT INTO refusal_counts (minute, agent_id, reason, count, source_ip, refused_at)
     SELECT now() - interval '1 day', $1, 'rate_limited', ${usual}, '::1', now()`,
  );
  await refuse(
    'by-hours',
    100,
    `INSERT INTO hourly_refusals (hour, agent_id, reason, refusal_count)
     SELECT date_trunc('hour', now()) - interval '3 days', $1, 'rate_limited', ${usual}`,
  );
  const logged = await refuse('in-log', 100, 'SELECT $1::uuid');
  const entry = {
    actor: { kind: 'system' },
    source_ip: null,
    action: 'request.refused',
    target: null,
    before: null,
  } as const;
  const timestamp = new Date(Date.now() - 86_400_000).toISOString();
  const after = { reasons: { rate_limited: usual } };
  await alerts.owner.db
    .transaction()
    .execute((transaction) =>
      appendAudit(transaction, [{ ...entry, agent_id: logged, after, count: usual, timestamp }]),
    );
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['100 requests of never-before refused in 1 h']);
});

test('a reason that refuses few requests of each of many agents is told once, and that of the cap of all by the cap', async () => {
  await alerts.rule({ on: 'refusals' });
  for (const name of list(30, 'small')) await refuse(name, 4, 'SELECT $1::uuid', 'agent_budget_exceeded');
  for (const name of list(30, 'all')) await refuse(name, 4, 'SELECT $1::uuid', 'global_budget_exceeded');
  await refuse('other', 40, 'SELECT $1::uuid');
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['120 requests of 30 agents refused in 1 h']);
  const { rows } = await alerts.owner.pool.query('SELECT severity, reach FROM alerts');
  expect(rows).toEqual([{ severity: 'warning', reach: 30 }]);
});
