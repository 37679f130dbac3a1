import { readRefusal } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url, REFUSAL_CONTACT: '#ai-gov' } });
  system.proxies.push(await system.start('proxy', { REFUSAL_CONTACT: '#ai-gov', REFUSAL_TELLS_WHY: 'true' }));
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

/** What each proxy answers: the first keeps who and why to itself, the second tells it. */
const ask = (agentName: string) =>
  Promise.all(
    system.proxies.map(async ({ url }) => {
      const headers = { 'content-type': 'application/json', 'x-agent-name': agentName };
      const body = JSON.stringify({ model: 'gpt-4o', messages: [] });
      const answer = await fetch(`${url}/openai/v1/chat/completions`, { method: 'POST', headers, body });
      return answer.ok ? 'ok' : readRefusal(await answer.text()).text;
    }),
  );
const put = (path: string, body: object) => system.api(path, { method: 'PUT', body: JSON.stringify(body) });

test('a blocked agent reads since when and whom to ask, and who and why only if it may', async () => {
  expect(await ask('told')).toEqual(['ok', 'ok']);
  const [agent] = await system.api<{ id: string }[]>('/api/v1/agents?search=told');
  const id = agent?.id;
  await put(`/api/v1/agents/${id}?reason=incident-42`, { status: 'blocked' });
  // A change of anything else is no block.
  await put(`/api/v1/agents/${id}?reason=a%20note`, { metadata: { team: 'sales' } });
  expect(await ask('told')).toEqual([
    expect.stringMatching(/^agent blocked since \d{4}-\d\d-\d\d \d\d:\d\d UTC; ask #ai-gov$/),
    expect.stringMatching(/^agent blocked since [-\d]+ [\d:]+ UTC by key bootstrap: incident-42; ask #ai-gov$/),
  ]);
  const overview = await system.api<{ block: object }>(`/api/v1/agents/${id}/overview`);
  expect(overview.block).toMatchObject({ by: 'key bootstrap', reason: 'incident-42' });
  await put(`/api/v1/agents/${id}`, { status: 'active' });
  expect(await ask('told')).toEqual(['ok', 'ok']);
  // A block past the API is in no audit log: an earlier one is not taken for it.
  await system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = 'told'");
  expect(await ask('told')).toEqual(Array(2).fill('agent blocked; ask #ai-gov'));
  await system.database.pool.query("UPDATE agents SET status = 'active' WHERE name = 'told'");
});

test('a block that is until a time says so, and ends by itself', async () => {
  expect(await ask('until')).toEqual(['ok', 'ok']);
  const [agent] = await system.api<{ id: string }[]>('/api/v1/agents?search=until');
  const path = `/api/v1/agents/${agent?.id}`;
  await put(path, { status: 'blocked', blocked_until: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await ask('until')).toEqual(
    Array(2).fill(
      expect.stringMatching(/^agent blocked since [-\d]+ [\d:]+ UTC until [-\d]+ [\d:]+ UTC.*; ask #ai-gov$/),
    ),
  );
  // Its end may be moved, or taken away.
  await put(path, { status: 'blocked' });
  expect(await ask('until')).toEqual(Array(2).fill(expect.not.stringContaining('until')));
  await put(path, { status: 'blocked', blocked_until: new Date(Date.now() + 7_200_000).toISOString() });
  await put(path, { labels: { owner: 'x' } });
  const [, moved] = await ask('until');
  expect(moved).toContain('until');
  await system.database.pool.query(
    "UPDATE agents SET blocked_until = clock_timestamp() - interval '1 second' WHERE name = 'until'",
  );
  await waitFor('the end of the block', async () => (await ask('until'))[0] === 'ok');
  const [entry] = await system.api<object[]>(`/api/v1/audit?agent_id=${agent?.id}&action=agent.update`);
  expect(entry).toMatchObject({
    actor: { kind: 'system' },
    before: { status: 'blocked' },
    after: { status: 'active' },
    reason: 'the block was until now',
  });
  // A block without an end has none left over, nor has one by plain SQL.
  await put(path, { status: 'blocked' });
  expect(await ask('until')).toEqual(Array(2).fill(expect.not.stringContaining('until')));
  await put(path, { status: 'blocked', blocked_until: new Date(Date.now() + 3_600_000).toISOString() });
  await system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = 'until'");
  const { rows } = await system.database.pool.query("SELECT blocked_until FROM agents WHERE name = 'until'");
  expect(rows).toEqual([{ blocked_until: null }]);
});

test('a pause says the same, and nothing is told if the audit log cannot be read', async () => {
  expect(await ask('paused')).toEqual(['ok', 'ok']);
  await put('/api/v1/pause?reason=drill', { paused: true });
  const [short, long] = await ask('paused');
  expect(short).toMatch(/^paused by operator since [-\d]+ [\d:]+ UTC; ask #ai-gov$/);
  expect(long).toMatch(/^paused by operator since [-\d]+ [\d:]+ UTC by key bootstrap: drill; ask #ai-gov$/);
  expect((await system.api<{ pause: { stop: object } }>('/api/v1/status')).pause.stop).toMatchObject({
    reason: 'drill',
  });
  await system.database.pool.query('ALTER TABLE audit_log RENAME TO away');
  expect(await ask('paused')).toEqual(Array(2).fill('paused by operator; ask #ai-gov'));
  await system.database.pool.query('ALTER TABLE away RENAME TO audit_log');
  await put('/api/v1/pause', { paused: false });
});
