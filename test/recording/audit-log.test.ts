import type { ListedAuditEntry } from '@agp/core/contracts';
import { findAuditDivergence } from '@agp/testing/events';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startSystem({ proxies: 2, environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

async function send(proxy: number, agentName: string, path = '/openai/v1/models'): Promise<number> {
  const answer = await fetch(`${system.proxies[proxy]?.url}${path}`, { headers: { 'x-agent-name': agentName } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends as many requests through both proxies, twenty at a time. @returns each status that was answered */
async function sendMany(count: number, agentName: string, path?: string): Promise<number[]> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < count; sent += 20) {
    const batch = Array.from({ length: Math.min(20, count - sent) }, (_, index) => send(index % 2, agentName, path));
    for (const status of await Promise.all(batch)) statuses.add(status);
  }
  return [...statuses];
}

const readLog = (query: string) => system.api<ListedAuditEntry[]>(`/api/v1/audit?${query}`);
const sum = (entries: ListedAuditEntry[]) => entries.reduce((total, { count }) => total + count, 0);

async function makeBlocked(name: string): Promise<string> {
  expect(await send(0, name)).toBeLessThan(500);
  const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
  const id = agents.find((agent) => agent.name === name)?.id ?? '';
  await system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status: 'blocked' }) });
  return id;
}

/** Waits until that many refusals are told of. Usually in one entry; in two where a minute ended meanwhile. */
async function waitForCount(query: string, count: number): Promise<ListedAuditEntry[]> {
  const entries = await waitFor(`${count} refusals`, async () => {
    const found = await readLog(`action=request.refused&${query}`);
    return sum(found) >= count && found;
  });
  expect(sum(entries)).toBe(count);
  expect(new Set(entries.map(({ timestamp }) => timestamp)).size).toBe(entries.length);
  return entries;
}

/** Makes the refusals that are counted now ones of long ago, and waits until the writer has put them into the chain. */
async function ageAndSeal(): Promise<void> {
  await system.database.pool.query("UPDATE refusal_counts SET minute = minute - interval '10 minutes'");
  await waitFor('the writer to seal', async () => {
    const { rows } = await system.database.pool.query('SELECT count(*) AS n FROM refusal_counts');
    return rows[0].n === 0;
  });
}

test('refusals by two proxies are one entry with the right count, and it stays the same once it is in the chain', async () => {
  const id = await makeBlocked('runaway');
  expect(await sendMany(300, 'runaway')).toEqual([403]);
  const open = await waitForCount(`agent_id=${id}`, 300);
  for (const entry of open) {
    expect(entry).toMatchObject({
      actor: { kind: 'proxy' },
      source_ip: '127.0.0.1',
      after: { reasons: { agent_blocked: entry.count } },
      seq: null,
      lineage_hash: null,
    });
  }
  await ageAndSeal();
  const sealed = await readLog(`action=request.refused&agent_id=${id}`);
  expect(sealed.map(({ count, lineage_hash }) => [count, lineage_hash?.slice(0, 7)])).toEqual(
    open.map(({ count }) => [count, 'sha256:']),
  );
});

test('refusals of nobody that is registered are one entry a minute, whatever they asked for', async () => {
  const before = sum((await readLog('action=request.refused&limit=1000')).filter((entry) => entry.agent_id === null));
  expect(await sendMany(40, 'stranger', '/nowhere/v1/models')).toEqual([404]);
  expect(await sendMany(20, 'unnamed-me')).toEqual([400]);
  const nobodys = await waitFor('60 refusals of nobody', async () => {
    const entries = (await readLog('action=request.refused&limit=1000')).filter(({ agent_id }) => agent_id === null);
    return sum(entries) >= before + 60 && entries;
  });
  expect(sum(nobodys)).toBe(before + 60);
  const reasons = nobodys.flatMap(({ after }) => Object.entries(after?.reasons as Record<string, number>));
  const countOf = (code: string) => reasons.filter(([reason]) => reason === code).reduce((all, [, n]) => all + n, 0);
  expect([countOf('unknown_provider'), countOf('malformed_request')]).toEqual([40, 20]);
  expect(new Set(nobodys.map(({ timestamp }) => timestamp)).size).toBe(nobodys.length);
});

test('no refusal waits for the log: while it is locked they are answered and kept, and counted once later', async () => {
  const id = await makeBlocked('while-locked');
  const client = await system.database.pool.connect();
  try {
    await client.query('BEGIN; LOCK TABLE refusal_counts, audit_log IN ACCESS EXCLUSIVE MODE');
    // Over three seconds, so that every proxy tries to store its counts and fails.
    for (let round = 0; round < 4; round += 1) {
      expect(await sendMany(20, 'while-locked')).toEqual([403]);
      await new Promise((resolve) => setTimeout(resolve, 800));
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await waitForCount(`agent_id=${id}`, 80);
});

test('a proxy that is stopped hands over what it counted last', async () => {
  const id = await makeBlocked('at-the-end');
  const proxy = await system.start('proxy');
  const headers = { 'x-agent-name': 'at-the-end' };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => fetch(`${proxy.url}/openai/v1/models`, { headers }).then(({ status }) => status)),
  );
  expect(answers).toEqual(Array(10).fill(403));
  await proxy.stop();
  expect(sum(await readLog(`action=request.refused&agent_id=${id}`))).toBe(10);
});

test('the whole chain, of changes and refusals, verifies here and by the service', async () => {
  await ageAndSeal();
  const { entries } = await system.api<{ entries: never[] }>('/api/v1/audit/chain');
  expect(entries.length).toBeGreaterThan(6);
  expect(findAuditDivergence(entries)).toBeNull();
  expect(await system.api('/api/v1/audit/verify')).toMatchObject({ valid: true, length: entries.length });
});
