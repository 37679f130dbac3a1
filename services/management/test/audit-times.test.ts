import { storedRuleListSchema } from '@agp/alerts';
import { auditListSchema, createdApiKeySchema } from '@agp/core/contracts';
import { describeChange, nameChanged } from '@agp/core/explain';
import { fromPublicId } from '@agp/core/ids';
import { addRefusals, sealRefusals } from '@agp/db';
import { expect, test } from 'vitest';
import { seedAgent } from './support/seed.ts';
import { startTestManagement, type TestManagement } from './support/start-test-management.ts';

const minuteMs = 60_000;
const readLog = (management: TestManagement, query: string) =>
  management.read(`/api/v1/audit?${query}`, auditListSchema);

test('the audit log is filtered by time, what is in its chain and what is not yet', async () => {
  await using management = await startTestManagement();
  const id = await seedAgent(management.database, 'refused');
  const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;
  const minutes = [60 * 24, 60, 5, 0].map((ago) => thisMinute - ago * minuteMs);
  const refuse = (minute: number) =>
    addRefusals(management.database.pool, [
      {
        minute,
        agentId: fromPublicId('agt', id),
        reason: 'agent_blocked',
        count: 1,
        sourceIp: '10.0.0.1',
        refusedAt: minute,
        requests: [],
      },
    ]);
  for (const minute of minutes.slice(0, 2)) await refuse(minute);
  while ((await sealRefusals(management.database.db)) > 0);
  for (const minute of minutes.slice(2)) await refuse(minute);
  await management.send('PUT', `/api/v1/agents/${id}`, { status: 'blocked' });

  const list = async (query: string) => {
    const entries = await management.read(`/api/v1/audit?${query}`, auditListSchema);
    return entries.map(({ action, timestamp }) =>
      action === 'agent.update' ? action : minutes.indexOf(Date.parse(timestamp)),
    );
  };
  const at = (index: number) => new Date(minutes[index] ?? 0).toISOString();
  expect(await list('')).toEqual(expect.arrayContaining([0, 1, 2, 3, 'agent.update']));
  expect(await list('from=2h&action=request.refused')).toEqual([3, 2, 1]);
  expect(await list(`from=${at(1)}&to=${at(3)}&agent_id=${id}`)).toEqual([2, 1]);
  expect(await list(`to=${at(2)}&agent_id=${id}`)).toEqual([1, 0]);
  expect(await list(`to=${at(2)}&agent_id=${id}&limit=1&offset=1`)).toEqual([0]);
  expect(await list(`from=${at(3)}&action=agent.update`)).toEqual(['agent.update']);
  expect(await list('from=2h&action=agent.update,request.refused')).toEqual([3, 2, 'agent.update', 1]);
  expect(await list('action=agent.update,nothing.such')).toEqual(['agent.update']);
  const answer = await management.call('/api/v1/audit?action=agent.update', { headers: { accept: 'text/csv' } });
  const [head, row] = (await answer.text()).split('\r\n');
  expect(head).toMatch(/^id,seq,timestamp,actor,/);
  expect(row).toMatch(/^aud_\w+,\d+,[^,]+,[^,"]+ \(api_key\),/);
  expect(await list('to=0001-01-01&from=0000-01-01')).toEqual([]);
  expect(await list('from=9999-12-31')).toEqual([]);
  // Refusals get their number after their minute, so a change before that has the lower one.
  while ((await sealRefusals(management.database.db)) > 0);
  for (const filter of ['', `&agent_id=${id}`]) {
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => management.read(`/api/v1/audit?limit=2&offset=${offset}${filter}`, auditListSchema)),
    );
    const numbers = pages.flat().map(({ seq }) => seq ?? Number.POSITIVE_INFINITY);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(new Set(numbers).size).toBe(numbers.length);
    const followed: unknown[] = [];
    for (let next: string | undefined = `/api/v1/audit?limit=2${filter}`; next !== undefined; ) {
      const page = await management.call(next);
      followed.push(...((await page.json()) as unknown[]));
      next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(followed).toEqual(await management.read(`/api/v1/audit?limit=1000${filter}`, auditListSchema));
    expect(followed.length).toBeGreaterThan(4);
  }
});

test('the audit log is filtered by one person or key, by name or id, whatever else an entry holds', async () => {
  await using management = await startTestManagement();
  const name = 'o"dd\\ (.*) {é}';
  const made = await management.send('POST', '/api/v1/keys', { name, scopes: ['write'] });
  const key = createdApiKeySchema.parse(await made.json());
  const id = await seedAgent(management.database, 'acted-on');
  const metadata = { action: 'x', actor: { id: key.id, kind: 'api_key', name } };
  await management.send('PUT', `/api/v1/agents/${id}`, { metadata });
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ status: 'blocked' });
  await management.call(`/api/v1/agents/${id}`, { method: 'PUT', headers, body });
  for (const actor of [name, key.id])
    expect(await readLog(management, `actor=${encodeURIComponent(actor)}`)).toMatchObject([
      { actor: { name }, after: { status: 'blocked' } },
    ]);
  expect(await readLog(management, 'actor=.*')).toEqual([]);
});

test('the audit log tells of the first change of a rule that came with the database no more than was changed', async () => {
  await using management = await startTestManagement();
  const rules = await management.read('/api/v1/notification-rules', storedRuleListSchema);
  expect(rules.length).toBeGreaterThan(5);
  for (const { id, rule } of rules) {
    const changed = { ...rule, description: 'changed' };
    expect((await management.send('PUT', `/api/v1/notification-rules/${id}`, changed)).status).toBe(200);
    const [entry] = await readLog(management, 'limit=1');
    if (entry === undefined) throw new Error('no entry');
    expect(describeChange(entry, { arrow: ' to ' }).replace('none', JSON.stringify(rule.description))).toBe(
      `version: 1 to 2, rule.description: ${JSON.stringify(rule.description)} to changed`,
    );
    expect(nameChanged(entry)).toBe(rule.name);
    const csv = await management.call('/api/v1/audit?limit=1', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toContain(`${rule.name} (${id})`);
  }
});
