import { randomUUIDv7 } from 'node:crypto';
import { ruleSchema } from '@agp/alerts';
import { budgetSchema } from '@agp/budgets';
import { fromPublicId, uuidOf } from '@agp/core/ids';
import { addRefusals, createDocument, type Db, deleteDocument, listAlerts, replaceDocument } from '@agp/db';
import { expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { shareWatchedAlerts } from '../support/watch-alerts.ts';

const alerts = shareWatchedAlerts();

const replaceRule = (id: string, rule: object) =>
  replaceDocument(alerts.database.db, 'rule', id, () => ({ document: ruleSchema.parse(rule) }));

const failed = { outcome: 'completed', http_status: 401 } as const;
const budgetOf = async (db: Db, name: string, amount: number, more: object = {}) => {
  const budget = budgetSchema.parse({ name, unit: 'requests', amount, window: 'day', ...more });
  const row = await createDocument(db, 'budget', { document: budget }, { most: 10, team: null });
  if ('code' in row) throw new Error(row.code);
  await db
    .updateTable('budgets')
    .set({ active: JSON.stringify(budget), active_epoch: row.epoch })
    .where('id', '=', row.id)
    .execute();
};

test('a cap that refuses all agents is critical, whatever its rule says, and comes first', async () => {
  await alerts.rule({ name: 'caps', on: 'cap' });
  await alerts.rule({ name: 'failing', on: 'failing' });
  await alerts.call(await seedAgent(alerts.owner, 'a'), 30, failed, 0);
  await alerts.call(await seedAgent(alerts.owner, 'b'), 30, {}, 0);
  await alerts.owner.pool.query('UPDATE control SET global_cap_usd = 0.00003');
  await alerts.look();
  const rows = await listAlerts(alerts.database.db, { state: 'unresolved' }, { limit: 10, offset: 0 });
  expect(rows.map(({ severity, title }) => `${severity}: ${title}`)).toEqual([
    'critical: Every request of every agent is refused: daily cap of all agents is used up',
    'critical: agent a fails: all 30 requests',
  ]);
});

test('a cap of all agents that has no room for any request is critical, until a request passes', async () => {
  await alerts.rule({ name: 'caps', on: 'cap' });
  const agent = await seedAgent(alerts.owner, 'a');
  await alerts.call(agent, 9, {}, 2);
  const { rows } = await alerts.owner.pool.query(
    'SELECT spent_usd FROM reporting.budgets_today WHERE agent_id IS NULL',
  );
  await alerts.owner.pool.query('UPDATE control SET global_cap_usd = $1::numeric * 1.1', [rows[0].spent_usd]);
  const agentId = uuidOf('agt', agent);
  const [now, reason] = [Date.now(), 'global_budget_exceeded'];
  const requests = Array.from({ length: 3 }, () => ({
    ...{ id: randomUUIDv7(), agentId, reason, count: 1, added: 1, requestId: 'r', sourceIp: '::1' },
    ...{ provider: null, path: null, rule: null, decision: null, told: null },
  }));
  const counted = { agentId, reason, count: 3, minute: now, refusedAt: now, sourceIp: '::1', requests };
  await addRefusals(alerts.owner.pool, [counted]);
  await alerts.look();
  const title = 'Every request of every agent is refused: daily cap of all agents has no room';
  expect((await alerts.alerts()).open).toEqual([title]);
  await alerts.call(agent, 1, {}, 0);
  await alerts.look(0.3);
  expect((await alerts.alerts()).open).not.toContain(title);
});

test('a threshold is told once by however many processes, and a jump over two as one', async () => {
  await alerts.target('chat');
  await alerts.rule({ on: 'budget', projected: false, targets: ['chat'] });
  await budgetOf(alerts.database.db, 'sales', 100);
  const agent = await seedAgent(alerts.owner, 'nightly');
  await alerts.call(agent, 85);
  await Promise.all(Array.from({ length: 4 }, () => alerts.look()));
  await alerts.look(0.2);
  expect((await alerts.alerts()).open).toEqual(['budget sales is at 80 % of 100 requests']);
  await alerts.call(agent, 20);
  await alerts.look(0.4);
  expect(await alerts.alerts()).toEqual({
    open: ['budget sales is used up: 105 requests of 100 requests'],
    over: ['budget sales is at 80 % of 100 requests'],
  });
  await budgetOf(alerts.database.db, 'other', 100);
  await alerts.call(agent, 300);
  await alerts.look(0.6);
  expect((await alerts.messages()).filter((message) => message.includes('other'))).toEqual([
    'chat opened: budget other is used up: 300 requests of 100 requests',
  ]);
});

test('a budget that refuses before all of it is used says so, until its window ends', async () => {
  await alerts.rule({ on: 'budget', projected: false });
  await budgetOf(alerts.database.db, 'each', 100, { split_by: 'agent' });
  const agent = await seedAgent(alerts.owner, 'churn');
  await alerts.call(agent, 96);
  await alerts.call(await seedAgent(alerts.owner, 'other'), 96);
  await alerts.owner.pool.query(
    `INSERT INTO refused_requests (id, agent_id, reason, count, source_ip, request_id, told)
     VALUES ($1, $2, 'budget_exceeded', 1, '::1', 'r', 'budget each exceeded: 100 requests for a day, spent 96')`,
    [randomUUIDv7(), fromPublicId('agt', agent)],
  );
  await alerts.look();
  const expected = [
    'budget each (churn) refuses what has no room: 96 requests of 100 requests used',
    'budget each (other) is at 80 % of 100 requests',
  ];
  expect((await alerts.alerts()).open.sort()).toEqual(expected);
  await alerts.call(agent, 1, {}, 0);
  await alerts.look(1);
  expect((await alerts.alerts()).open.sort()).toEqual([expected[0]?.replace('96', '97'), expected[1]]);
});

test('a budget that is raised once it is used up has room again', async () => {
  await alerts.rule({ on: 'budget', projected: false });
  await budgetOf(alerts.database.db, 'sales', 100);
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 100);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['budget sales is used up: 100 requests of 100 requests']);
  await alerts.owner.pool.query(`UPDATE budgets SET active = active || '{"amount": 120}'`);
  await alerts.look(1);
  expect((await alerts.alerts()).open).toEqual(['budget sales is at 80 % of 120 requests']);
});

test('what was passed just before its window ended is told, and is over', async () => {
  await alerts.target('chat');
  await alerts.rule({ on: 'budget', projected: false, targets: ['chat'] });
  await budgetOf(alerts.database.db, 'daily', 10);
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 10);
  await alerts.look(1_440);
  expect(await alerts.messages()).toEqual([
    'chat opened: budget daily is used up: 10 requests of 10 requests',
    'chat resolved: budget daily is used up: 10 requests of 10 requests',
  ]);
});

test('a cap is over with its cause', async () => {
  await alerts.rule({ on: 'cap', at_percent: [50] });
  const agent = await seedAgent(alerts.owner, 'nightly');
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 0.00003');
  await alerts.call(agent, 10, {}, 0);
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['daily cap of nightly is at 50 % of 0.00003 USD']);
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 1');
  await alerts.look(0.2);
  expect((await alerts.alerts()).open).toEqual([]);
});

test('policies and findings are counted by request', async () => {
  await alerts.rule({ name: 'policies', on: 'policy', at_least: 3 });
  await alerts.rule({ name: 'data', on: 'pii', types: ['email'], match: { tags: ['gdpr'] } });
  const agent = await seedAgent(alerts.owner, 'nightly');
  const decision = ['models', 'tools.client'].map((rule) => ({
    policy: 'strict',
    version: 1,
    rule,
    action: 'warn' as const,
  }));
  const data = (['redact', 'flag'] as const).map((action) => ({
    ...{ policy: 'data', version: 1, rule: 'pii.request', action, found: { email: 2 } },
  }));
  await alerts.call(agent, 4, { decision: data });
  await alerts.call(agent, 3, { decision, pii_detected: true, pii_types: ['email', 'phone'], compliance_tag: 'gdpr' });
  await alerts.call(agent, 5, { pii_detected: true, pii_types: ['email'] });
  await alerts.look();
  expect((await alerts.alerts()).open.sort()).toEqual([
    'email in 3 events of nightly in 1 h',
    'policy data: flagged texts of 4 requests of nightly in 1 h',
    'policy data: redacted texts of 4 requests of nightly in 1 h',
    'policy strict: warned of 3 requests of nightly in 1 h',
  ]);
  await alerts.look(70);
  expect((await alerts.alerts()).over).toHaveLength(4);
});

test('names are told when they are first used, each once', async () => {
  await alerts.target('chat');
  await alerts.rule({ on: 'first_seen', targets: ['chat'] });
  const agent = await seedAgent(alerts.owner, 'nightly');
  const tools = { declared: [{ kind: 'remote_mcp' as const, names: ['mcp.example.com'] }], called: [], more: 0 };
  await alerts.call(agent, 3, { model: 'gpt-9', provider: 'openai', tools });
  for (const minutes of [0, 0.2]) await alerts.look(minutes);
  expect((await alerts.messages()).sort()).toEqual([
    'chat opened: first request of agent nightly',
    'chat opened: first use of MCP server mcp.example.com',
    'chat opened: first use of model gpt-9',
    'chat opened: first use of provider openai',
  ]);
  await alerts.call(agent, 3, { model: 'gpt-9', provider: 'openai', tools });
  await alerts.look(0.4);
  expect(await alerts.messages()).toHaveLength(4);
});

test('many names of one agent at once are one alert', async () => {
  await alerts.rule({ on: 'first_seen', of: ['tool', 'remote_mcp'] });
  const names = Array.from({ length: 90 }, (_, at) => ({ kind: 'client' as const, names: [`tool-${at + 10}`] }));
  const declared = [...names, { kind: 'remote_mcp' as const, names: ['mcp.example.com'] }];
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 1, { tools: { declared, called: [], more: 0 } });
  await alerts.look();
  await alerts.look(1);
  expect((await alerts.alerts()).over).toEqual([
    'first use of MCP server mcp.example.com',
    expect.stringMatching(/^first use of tool tool-\d+ and 89 more$/),
  ]);
});

test('a rule that a later version wrote keeps its alerts', async () => {
  await alerts.rule({ on: 'failing' });
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, failed);
  await alerts.look();
  await alerts.owner.pool.query(`UPDATE notification_rules SET rule = rule || '{"later": true}'`);
  await alerts.look(30);
  expect((await alerts.alerts()).open).toHaveLength(1);
});

test('a model without a price is told', async () => {
  await alerts.rule({ name: 'costs', on: 'cost' });
  const agent = await seedAgent(alerts.owner, 'nightly');
  await alerts.call(agent, 2, { model: 'new-1', provider: 'openai', price_version: null, cost_nano_usd: 0 });
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['new-1 at openai has no price']);
});

test('lost events are told as long as they are lost', async () => {
  await alerts.rule({ on: 'recording' });
  const agent = fromPublicId('agt', await seedAgent(alerts.owner, 'nightly'));
  await alerts.owner.pool.query(
    `INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason, noted_at)
     VALUES (gen_random_uuid(), now(), $1, 1, 'lost', now() - interval '2 minutes')`,
    [agent],
  );
  await alerts.look();
  expect((await alerts.alerts()).open).toEqual(['1 request has no event']);
});

test('a changed chain is told, and a whole one is not', async () => {
  await alerts.rule({ on: 'chain' });
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 5);
  await alerts.watch().verify();
  expect(await alerts.alerts()).toEqual({ open: [], over: [] });
  await alerts.owner.pool.query('ALTER TABLE events DISABLE TRIGGER ALL');
  await alerts.owner.pool.query('UPDATE events SET cost_usd = 0 WHERE seq = 2');
  await alerts.owner.pool.query(`UPDATE alert_watch SET chains_at = 'epoch', audit_verified_at = 'epoch'`);
  await alerts.watch().verify();
  expect((await alerts.alerts()).open).toEqual([
    expect.stringMatching(/^the chain of session ses_agt_\w+ does not verify$/),
  ]);
});

test('a rule that is removed or disabled ends its alerts, and opens them again', async () => {
  const [one, other] = [
    await alerts.rule({ name: 'one', on: 'failing' }),
    await alerts.rule({ name: 'other', on: 'failing' }),
  ];
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 20, failed);
  await alerts.look();
  expect((await alerts.alerts()).open).toHaveLength(2);
  await deleteDocument(alerts.database.db, 'rule', one);
  await replaceRule(other, { name: 'other', on: 'failing', enabled: false });
  await alerts.look(1);
  expect((await alerts.alerts()).open).toEqual([]);
  await replaceRule(other, { name: 'other', on: 'failing' });
  await alerts.look(2);
  expect((await alerts.alerts()).open).toHaveLength(1);
});

test('a window that was told is told again if its cause comes back, and a doubled threshold once', async () => {
  await alerts.target('chat');
  const rule = { name: 'rule', on: 'budget', at_percent: [80, 80], projected: false, targets: ['chat'] };
  const id = await alerts.rule(rule);
  await budgetOf(alerts.database.db, 'sales', 100);
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 90);
  await alerts.look();
  await replaceRule(id, { ...rule, enabled: false });
  await alerts.look(1);
  await replaceRule(id, rule);
  await alerts.look(2);
  const title = 'budget sales is at 80 % of 100 requests';
  expect(await alerts.messages()).toEqual(['opened', 'resolved', 'opened'].map((each) => `chat ${each}: ${title}`));
  expect(await alerts.alerts()).toEqual({ open: [title], over: [] });
});

test('news that could not be looked at are told later', async () => {
  await alerts.rule({ on: 'first_seen', of: ['model'] });
  await alerts.call(await seedAgent(alerts.owner, 'nightly'), 1, { model: 'gpt-9' });
  await alerts.owner.pool.query('ALTER TABLE agents RENAME TO elsewhere');
  await alerts.look();
  expect(await alerts.alerts()).toEqual({ open: [], over: [] });
  await alerts.owner.pool.query('ALTER TABLE elsewhere RENAME TO agents');
  await alerts.look(1);
  expect((await alerts.alerts()).over).toEqual(['first use of model gpt-9']);
});

test('what no rule can tell beyond its room stays open with a count', async () => {
  await alerts.rule({ on: 'cap', at_percent: [50] });
  for (let index = 0; index < 103; index += 1)
    await alerts.call(await seedAgent(alerts.owner, `agent-${index}`), 10, {}, 0);
  await alerts.owner.pool.query('UPDATE agents SET daily_cap_usd = 0.00003');
  await alerts.look();
  await alerts.look(0.2);
  const { open, over } = await alerts.alerts();
  expect([open.length, over.length]).toEqual([101, 0]);
  expect(open).toContain('rule rule: 3 more');
});
