import { createHash } from 'node:crypto';
import { auditChainSchema, auditListSchema, auditVerdictSchema, createdApiKeySchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { addRefusals, type RefusalCount, sealRefusals } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { findAuditDivergence } from '@agp/testing/events';
import { describe, expect, test } from 'vitest';
import { listRoutes } from '../src/routes/index.ts';
import { startManagement } from '../src/start-management.ts';
import { type AuditedChange, auditedChanges } from './support/audited-changes.ts';
import { seedAgent } from './support/seed.ts';
import { bootstrapKey, shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement({ edition: 'base' });

const readLog = (query = 'limit=1000') => management.read(`/api/v1/audit?${query}`, auditListSchema);
const readChain = async () => (await management.read('/api/v1/audit/chain', auditChainSchema)).entries;
const verify = () => management.read('/api/v1/audit/verify', auditVerdictSchema);
const block = (id: string) => management.send('PUT', `/api/v1/agents/${id}`, { status: 'blocked' });

const changing = listRoutes()
  // A preview changes nothing, nor does a try.
  .filter((route) => route.method !== 'get' && !/\/(?:preview|try)$/.test(route.path))
  .map((route) => `${route.method} ${route.path}`);

describe('every change', () => {
  test('is made once below: a new route needs a line there', () => {
    expect(Object.keys(auditedChanges).sort()).toEqual([...changing].sort());
  });

  test.each(Object.entries(auditedChanges))(
    'by %s leaves one entry: who, what, from where, before and after',
    async (route, prepare) => {
      const { path, body, entry }: AuditedChange = await prepare(management);
      const before = await readChain();
      const method = route.slice(0, route.indexOf(' ')).toUpperCase();
      const reason = 'läuft im Kreis -> "stop", 100 %';
      const target = `${path}?reason=${encodeURIComponent(reason)}`;
      const response = await (body === undefined
        ? management.call(target, { method })
        : management.send(method, target, body));
      expect(response.ok, String(response.status)).toBe(true);
      const answer = await response.text();
      const entries = await readChain();
      expect(entries).toHaveLength(before.length + 1);
      const [shown] = await readLog('limit=1');
      expect(shown).toEqual({
        ...entry,
        id: entries.at(-1)?.id,
        seq: before.length,
        timestamp: expect.any(String),
        actor: { kind: 'api_key', id: expect.stringMatching(/^key_/), name: 'bootstrap' },
        source_ip: '127.0.0.1',
        count: 1,
        reason,
        lineage_hash: entries.at(-1)?.lineage_hash,
      });
      expect(JSON.parse(entries.at(-1)?.payload ?? '')).toMatchObject({ v: 2, reason });
      expect(findAuditDivergence(entries)).toBeNull();
      const secret = /"secret":"([^"]+)"/.exec(answer)?.[1];
      if (secret === undefined) return;
      const log = JSON.stringify(entries);
      const digest = createHash('sha256').update(secret).digest();
      for (const hidden of [secret, digest.toString('hex'), digest.toString('base64')])
        expect(log).not.toContain(hidden);
    },
  );

  test.each(changing)('that %s does not make leaves none', async (route) => {
    const before = await readChain();
    const [method = '', path = ''] = route.split(' ');
    const target = path.replace(/\{\w+\}/, 'nobody');
    const refused = await management.send(method.toUpperCase(), target, { nonsense: true });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const unknown = await management.call(target, { method, headers: { authorization: 'Bearer wrong' } });
    expect(unknown.status).toBe(401);
    expect(await readChain()).toEqual(before);
  });

  test('names the key that made it, and is recorded even if nothing changed', async () => {
    const id = await seedAgent(management.database, 'twice-blocked');
    const made = await management.send('POST', '/api/v1/keys', { name: 'night shift', scopes: ['write'] });
    const key = createdApiKeySchema.parse(await made.json());
    for (let round = 0; round < 2; round += 1) {
      const response = await management.call(`/api/v1/agents/${id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'blocked' }),
      });
      expect(response.status).toBe(200);
    }
    const entries = await readLog(`agent_id=${id}`);
    expect(entries.map(({ before, after }) => [before?.status, after?.status])).toEqual([
      ['blocked', 'blocked'],
      ['active', 'blocked'],
    ]);
    for (const { actor } of entries) expect(actor).toEqual({ kind: 'api_key', id: key.id, name: 'night shift' });
    expect(entries.map(({ reason }) => reason)).toEqual([null, null]);
    expect(JSON.parse((await readChain()).at(-1)?.payload ?? '')).toMatchObject({ v: 1 });
  });
});

describe('the bootstrap key', () => {
  test("is recorded, as the system's, at a start with another key, and at no other start", async () => {
    const logger = createLogger('management', 'silent');
    const read = () => readLog('action=key.bootstrap');
    const [first, ...none] = await read();
    expect(none).toEqual([]);
    expect(first).toMatchObject({ actor: { kind: 'system' }, source_ip: null, before: null, agent_id: null });
    const length = (await readChain()).length;
    await (await startManagement(management.config, { logger })).stop();
    expect(await readChain()).toHaveLength(length);
    await (
      await startManagement({ ...management.config, managementApiKey: 'another-key-987654321' }, { logger })
    ).stop();
    await (await startManagement(management.config, { logger })).stop();
    const entries = await read();
    expect(entries).toHaveLength(3);
    expect(entries[1]?.before).toEqual(first?.after);
    expect(entries[0]?.before).toEqual(entries[1]?.after);
  });
});

describe('refused requests', () => {
  const minuteMs = 60_000;
  const thisMinute = () => Math.floor(Date.now() / minuteMs) * minuteMs;
  const refuse = (counts: (Partial<RefusalCount> & Pick<RefusalCount, 'agentId' | 'minute'>)[]) =>
    addRefusals(
      management.database.pool,
      counts.map((counted) => ({
        reason: 'agent_blocked',
        count: 1,
        sourceIp: '10.0.0.1',
        refusedAt: counted.minute,
        requests: [],
        ...counted,
      })),
    );

  test('are shown at once without a hash, and with one when their minute is over', async () => {
    const id = await seedAgent(management.database, 'refused');
    const agentId = fromPublicId('agt', id);
    const minute = thisMinute();
    await refuse([
      { minute, agentId, count: 3, sourceIp: '10.0.0.7', refusedAt: minute + 20 },
      { minute, agentId, reason: 'rate_limited' },
    ]);
    await refuse([{ minute, agentId, count: 2, sourceIp: '10.0.0.6', refusedAt: minute + 10 }]);
    const shown = {
      id: null,
      seq: null,
      timestamp: new Date(minute).toISOString(),
      actor: { kind: 'proxy' },
      action: 'request.refused',
      agent_id: id,
      target: null,
      before: null,
      reason: null,
      lineage_hash: null,
    };
    const counted = [
      { ...shown, source_ip: '10.0.0.7', after: { reasons: { agent_blocked: 5 } }, count: 5 },
      { ...shown, source_ip: '10.0.0.1', after: { reasons: { rate_limited: 1 } }, count: 1 },
    ];
    expect(await readLog(`agent_id=${id}`)).toEqual(counted);
    expect(await readLog(`agent_id=${id}&action=agent.update`)).toEqual([]);
    expect(await sealRefusals(management.database.db)).toBe(0);

    const over = minute - 2 * minuteMs;
    await refuse([{ minute: over, agentId, count: 4 }]);
    expect(await sealRefusals(management.database.db)).toBe(1);
    const sealed = await readLog(`agent_id=${id}&limit=1&offset=2`);
    expect(sealed).toMatchObject([{ timestamp: new Date(over).toISOString(), count: 4, seq: expect.any(Number) }]);
    expect(findAuditDivergence(await readChain())).toBeNull();
  });

  test('of no known agent are one entry a minute, with how many there were of each reason', async () => {
    const minute = thisMinute() - 5 * minuteMs;
    const nobodys = { minute, agentId: null };
    await refuse([
      { ...nobodys, reason: 'unknown_provider', count: 40 },
      { ...nobodys, reason: 'unauthorized_agent', count: 2, sourceIp: '10.0.0.9', refusedAt: minute + 59_000 },
      { ...nobodys, minute: minute + minuteMs, reason: 'unknown_provider' },
    ]);
    const expected = {
      timestamp: new Date(minute).toISOString(),
      agent_id: null,
      source_ip: '10.0.0.9',
      after: { reasons: { unauthorized_agent: 2, unknown_provider: 40 } },
      count: 42,
    };
    const find = async () => {
      const entries = await readLog('action=request.refused&limit=1000');
      return entries.filter(({ timestamp }) => timestamp === expected.timestamp);
    };
    expect(await find()).toMatchObject([{ ...expected, lineage_hash: null }]);
    expect(await sealRefusals(management.database.db)).toBe(2);
    expect(await sealRefusals(management.database.db)).toBe(1);
    expect(await sealRefusals(management.database.db)).toBe(0);
    expect(await find()).toMatchObject([{ ...expected, lineage_hash: expect.stringMatching(/^sha256:/) }]);
  });

  test('of thousands of agents, sealed by several writers while proxies add, are all there once', async () => {
    const minute = thisMinute() - 9 * minuteMs;
    const agents = Array.from(
      { length: 1_300 },
      (_, index) => `01999999-0000-7000-8000-${String(index).padStart(12, '0')}`,
    );
    const add = () => refuse([...agents.map((agentId) => ({ minute, agentId })), { minute, agentId: null }]);
    const seal = async () => {
      for (let idle = 0; idle < 5; ) idle += (await sealRefusals(management.database.db)) === 0 ? 1 : 0;
    };
    await add();
    await Promise.all([add(), seal(), add(), seal(), seal(), add()]);
    await seal();
    const { rows } = await management.database.pool.query(
      'SELECT count(*) AS n FROM refusal_counts WHERE minute = $1',
      [new Date(minute)],
    );
    expect(rows[0].n).toBe(0);
    const entries = await readChain();
    const sealed = entries
      .map(({ payload }) => JSON.parse(payload))
      .filter(({ timestamp }) => timestamp === new Date(minute).toISOString());
    const total = (nobodys: boolean) =>
      sealed.filter(({ agent_id }) => (agent_id === null) === nobodys).reduce((sum, { count }) => sum + count, 0);
    expect([total(false), total(true)]).toEqual([4 * agents.length, 4]);
    expect(findAuditDivergence(entries)).toBeNull();
  });
});

describe('the list', () => {
  test('is paged by number, the highest first after what has none yet; filtered, and bounded', async () => {
    const id = await seedAgent(management.database, 'listed');
    for (let round = 0; round < 5; round += 1) await block(id);
    const all = await readLog(`agent_id=${id}`);
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).sort((a, b) => (b ?? 0) - (a ?? 0)));
    const pages = [await readLog(`agent_id=${id}&limit=2`), await readLog(`agent_id=${id}&limit=3&offset=2`)];
    expect(pages.flat()).toEqual(all);
    const whole = await readLog();
    const numbers = whole.map(({ seq }) => seq ?? Number.POSITIVE_INFINITY);
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    expect(await readLog('action=nothing.such')).toEqual([]);
    expect(await readLog('agent_id=nobody')).toEqual([]);
    expect(await readLog('')).toHaveLength(50);
  });
});

describe('the chain', () => {
  test('is whole after 50 changes at once by two processes', async () => {
    await using other = await startManagement(management.config, { logger: createLogger('management', 'silent') });
    const ids = await Promise.all([1, 2, 3].map((name) => seedAgent(management.database, `busy-${name}`)));
    const before = (await readChain()).length;
    const calls = Array.from({ length: 50 }, (_, index) => {
      const url = index % 2 === 0 ? management.service.url : other.url;
      const path = index % 5 === 0 ? '/api/v1/pause' : `/api/v1/agents/${ids[index % 3]}`;
      const body = index % 5 === 0 ? { paused: index % 10 === 0 } : { metadata: { round: index } };
      return fetch(`${url}${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    });
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(Array(50).fill(200));
    const entries = await readChain();
    expect(entries).toHaveLength(before + 50);
    expect(findAuditDivergence(entries)).toBeNull();
    // Each entry's `before` equals the previous entry's `after`: the log has the order in which the changes happened.
    for (const id of ids) {
      const ofAgent = entries.map(({ payload }) => JSON.parse(payload)).filter(({ target }) => target === id);
      expect(ofAgent.length).toBeGreaterThan(5);
      expect(ofAgent.slice(1).map(({ before }) => before)).toEqual(ofAgent.slice(0, -1).map(({ after }) => after));
    }
    expect(await verify()).toEqual({
      valid: true,
      length: entries.length,
      head: entries.at(-1)?.lineage_hash,
      first_divergence: null,
    });
  });

  test.each([
    ['a changed payload', 4, `UPDATE audit_log SET payload = replace(payload, '127.0.0.1', '127.0.0.2') WHERE seq = 4`],
    ['a payload that is no JSON', 4, `UPDATE audit_log SET payload = 'x' WHERE seq = 4`],
    ['a column beside the payload', 4, `UPDATE audit_log SET action = 'agent.retire' WHERE seq = 4`],
    ['a removed entry', 4, 'DELETE FROM audit_log WHERE seq = 4'],
    ['a cut end', 5, 'DELETE FROM audit_log WHERE seq >= 5'],
  ])('shows %s at its place', async (_name, place, statement) => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'tampered');
    for (let round = 0; round < 8; round += 1) await own.send('PUT', `/api/v1/agents/${id}`, { status: 'blocked' });
    await own.database.pool.query(statement);
    const verdict = await own.read('/api/v1/audit/verify', auditVerdictSchema);
    expect(verdict).toMatchObject({ valid: false, length: 9, first_divergence: place });
  });
});
