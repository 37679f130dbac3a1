import { agentListSchema, agentSchema, retiredAgentSchema } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

const unknownIds = [
  toPublicId('agt', '01930000-0000-7000-8000-000000000000'),
  'agt_x',
  'evt_01k9r3v8w5f2q8m6t4n0x7y1za',
  `agt_${'z'.repeat(26)}`,
  '%00',
  '%ZZ',
  '%ff',
  "'%20OR%201=1",
  'a'.repeat(5000),
];

describe('listing agents', () => {
  test('gives all of them, oldest first, with exactly the documented fields', async () => {
    await using own = await startTestManagement();
    expect(await own.read('/api/v1/agents', agentListSchema)).toEqual([]);
    const late = await seedAgent(own.database, 'late', '2026-03-02T00:00:00.000Z');
    const early = await seedAgent(own.database, 'early', '2026-03-01T00:00:00.000Z');
    const agents = await own.read('/api/v1/agents', agentListSchema);
    expect(agents.map((agent) => agent.id)).toEqual([early, late]);
    expect(agents[0]).toEqual({
      id: early,
      name: 'early',
      source_ip: '10.0.0.1',
      status: 'active',
      metadata: {},
      created_at: '2026-03-01T00:00:00.000Z',
      updated_at: '2026-03-01T00:00:00.000Z',
    });
    expect(await own.read('/api/v1/agents?limit=1&offset=1', agentListSchema)).toEqual([agents[1]]);
    expect(await own.read('/api/v1/agents?offset=2', agentListSchema)).toEqual([]);
    await own.send('PUT', `/api/v1/agents/${late}`, { status: 'blocked' });
    const blocked = await own.read('/api/v1/agents?status=blocked', agentListSchema);
    expect(blocked.map((agent) => agent.id)).toEqual([late]);
  });

  test('gives more agents than one page of the database, each once', async () => {
    await using own = await startTestManagement();
    await own.database.pool.query(`
      INSERT INTO agents (id, name, source_ip, created_at)
      SELECT gen_random_uuid(), 'agent-' || i, '10.0.0.1', timestamptz '2026-01-01Z' + (i / 7) * interval '1 ms'
      FROM generate_series(1, 2500) i`);
    const agents = await own.read('/api/v1/agents', agentListSchema);
    expect(new Set(agents.map((agent) => agent.id)).size).toBe(2500);
    const order = agents.map((agent) => agent.created_at);
    expect(order).toEqual([...order].sort());
  });

  test.each([
    ['limit=1001', /^limit: /],
    ['limit=0', /^limit: /],
    ['limit=-1', /^limit: /],
    ['limit=1.5', /^limit: /],
    ['limit=1e2', /^limit: /],
    ['limit=', /^limit: /],
    ['limit=5&limit=6', /^limit: /],
    ['offset=-1', /^offset: /],
    ['offset=99999999999999999999', /^offset: /],
    ['status=gone', /^status: /],
  ])('refuses ?%s and names the field', async (query, error) => {
    await management.refuse(await management.call(`/api/v1/agents?${query}`), 400, error);
  });
});

describe('one agent', () => {
  test.each(unknownIds)('answers 404 for the id %s on every route', async (id) => {
    const path = `/api/v1/agents/${id}`;
    await management.refuse(await management.call(path), 404, 'agent not found');
    await management.refuse(await management.send('PUT', path, { status: 'active' }), 404, 'agent not found');
    await management.refuse(await management.call(`${path}/retire`, { method: 'POST' }), 404, 'agent not found');
    await management.refuse(await management.call(`${path}/events`), 404, 'agent not found');
  });

  test('shows the address of its latest recorded request', async () => {
    const id = await seedAgent(management.database, 'moving');
    await seedEvents(management.database, [
      makeEvent(id, 'ses_moving', '2026-03-01T00:00:00.000Z', { source_ip: '192.0.2.7' }),
    ]);
    const agent = await management.read(`/api/v1/agents/${id}`, agentSchema);
    expect(agent.source_ip).toBe('192.0.2.7');
    const updated = await management.send('PUT', `/api/v1/agents/${id}`, { status: 'blocked' });
    expect(agentSchema.parse(await updated.json()).source_ip).toBe('192.0.2.7');
  });
});

describe('changing an agent', () => {
  test('takes every transition, out of retired too, and stores what it answers', async () => {
    const id = await seedAgent(management.database, 'changing');
    for (const status of ['blocked', 'active', 'retired', 'blocked', 'retired', 'active'] as const) {
      const response = await management.send('PUT', `/api/v1/agents/${id}`, { status });
      expect(response.status).toBe(200);
      const agent = agentSchema.parse(await response.json());
      expect(agent.status).toBe(status);
      expect(await management.read(`/api/v1/agents/${id}`, agentSchema)).toEqual(agent);
    }
  });

  test('moves updated_at forward with every PUT and retire, even if the clock is behind it', async () => {
    const id = await seedAgent(management.database, 'ahead', '2099-01-01T00:00:00.000Z');
    let last = '2099-01-01T00:00:00.000Z';
    for (const change of ['put', 'retire', 'put', 'put']) {
      const response =
        change === 'put'
          ? await management.send('PUT', `/api/v1/agents/${id}`, { status: 'active' })
          : await management.call(`/api/v1/agents/${id}/retire`, { method: 'POST' });
      const { updated_at } = (await response.json()) as { updated_at: string };
      expect(updated_at > last).toBe(true);
      last = updated_at;
    }
    const parallel = await Promise.all(
      Array.from({ length: 20 }, () => management.send('PUT', `/api/v1/agents/${id}`, { metadata: {} })),
    );
    const times = await Promise.all(
      parallel.map(async (response) => (await response.json()) as { updated_at: string }),
    );
    expect(new Set(times.map((agent) => agent.updated_at)).size).toBe(20);
  });

  test('replaces metadata as a whole and leaves the rest alone', async () => {
    const id = await seedAgent(management.database, 'described');
    const path = `/api/v1/agents/${id}`;
    await management.send('PUT', path, {
      metadata: { team: 'a', nested: { list: [1, null, true] } },
      status: 'blocked',
    });
    const response = await management.send('PUT', path, { metadata: { owner: 'b', compliance_tag: 'pci' } });
    const agent = agentSchema.parse(await response.json());
    expect(agent).toMatchObject({ status: 'blocked', metadata: { owner: 'b', compliance_tag: 'pci' } });
    expect(agent.metadata).not.toHaveProperty('team');
    await management.send('PUT', path, { status: 'active' });
    expect((await management.read(path, agentSchema)).metadata).toEqual({ owner: 'b', compliance_tag: 'pci' });
  });

  test('sets and removes labels and leaves all other metadata as it is', async () => {
    const id = await seedAgent(management.database, 'labelled');
    const path = `/api/v1/agents/${id}`;
    await management.send('PUT', path, { metadata: { team: 'a', owner: 'was', deep: { list: [1] } } });
    const response = await management.send('PUT', path, {
      labels: { team: 'sales', owner: null, compliance_tag: 'pci' },
    });
    const expected = { team: 'sales', compliance_tag: 'pci', deep: { list: [1] } };
    expect(agentSchema.parse(await response.json()).metadata).toEqual(expected);
    const names = async (label: string) =>
      (await management.read(`/api/v1/agents?label=${encodeURIComponent(label)}`, agentListSchema)).map(
        ({ name }) => name,
      );
    expect([await names('team=sales'), await names('team=sale'), await names('owner=was')]).toEqual([
      ['labelled'],
      [],
      [],
    ]);
    expect(await names('compliance_tag')).toContain('labelled');
    expect(await names('deep')).toEqual([]);
    await management.refuse(await management.call('/api/v1/agents?label=team%3D'), 400, /^label: must be a label/);
    await management.refuse(await management.send('PUT', path, { labels: {} }), 400, /^labels: must hold a label/);
    const full = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, 'x'.repeat(1000)]));
    const refused = await management.send('PUT', path, { labels: full });
    await management.refuse(refused, 400, 'labels: the metadata would exceed 16 KiB');
    expect((await management.read(path, agentSchema)).metadata).toEqual(expected);
  });

  test('keeps a key named __proto__ as data', async () => {
    const id = await seedAgent(management.database, 'proto');
    const body = '{"metadata":{"__proto__":{"polluted":true},"constructor":{"prototype":1}}}';
    const response = await management.call(`/api/v1/agents/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('"__proto__":{"polluted":true}');
    expect(text).toContain('"constructor":{"prototype":1}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const metadata = (json: string) => `{"metadata":${json}}`;

  test.each([
    ['nothing', '{}', /^body: must hold status, metadata or labels/],
    ['a label with a space in its name', '{"labels":{"a b":"x"}}', /^labels.a b: must have a name/],
    ['a label that is no text', '{"labels":{"team":7}}', /^labels.team: /],
    ['an empty label', '{"labels":{"team":""}}', /^labels.team: must be 1 to 1024/],
    ['an end without a block', '{"blocked_until":"2099-01-01T00:00:00Z"}', /^blocked_until: needs status blocked/],
    ['an end in the past', '{"status":"blocked","blocked_until":"2020-01-01T00:00:00Z"}', /^blocked_until: must lie/],
    ['an end that is no time', '{"status":"blocked","blocked_until":"soon"}', /^blocked_until: /],
    ['no object', '[]', /^body: /],
    ['null', 'null', /^body: /],
    ['a number', '7', /^body: /],
    ['broken JSON', '{"status":', /^body: not valid JSON/],
    ['another field', '{"status":"active","name":"x"}', /^name: unknown field/],
    ['__proto__ at the top', '{"status":"active","__proto__":{}}', /^__proto__: unknown field/],
    ['another status', '{"status":"paused"}', /^status: /],
    ['a null status', '{"status":null}', /^status: /],
    ['null metadata', metadata('null'), /^metadata: must be a JSON object/],
    ['an array as metadata', metadata('[1]'), /^metadata: must be a JSON object/],
    ['NUL in a value', metadata('{"a":"\\u0000"}'), /^metadata: .*NUL/],
    ['NUL in a key', metadata('{"a\\u0000":1}'), /^metadata: .*NUL/],
    ['a lone surrogate in a value', metadata('{"a":["\\ud800"]}'), /^metadata: .*surrogate/],
    ['a lone surrogate in a deep key', metadata('{"a":{"b":{"\\udfff":1}}}'), /^metadata: .*surrogate/],
    ['a number beyond doubles', metadata('{"a":1e400}'), /^metadata: /],
    ['33 levels', metadata(deep(33)), /^metadata: .*32 levels/],
    ['500 levels', metadata(deep(500)), /^metadata: .*32 levels/],
    ['10,000 levels', metadata(deep(10_000)), 'body: nests too deep'],
    ['more than 16 KiB', metadata(JSON.stringify({ a: 'x'.repeat(16 * 1024) })), /^metadata: .*16 KiB/],
    ['an invalid compliance tag', metadata('{"compliance_tag":"Has Space"}'), /^metadata.compliance_tag: /],
    ['a compliance tag that is no text', metadata('{"compliance_tag":7}'), /^metadata.compliance_tag: /],
  ])('refuses a body with %s', async (_name, body, error) => {
    const id = await seedAgent(management.database, `refusing ${crypto.randomUUID()}`);
    const before = await management.read(`/api/v1/agents/${id}`, agentSchema);
    const response = await management.call(`/api/v1/agents/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await management.refuse(response, 400, error);
    expect(await management.read(`/api/v1/agents/${id}`, agentSchema)).toEqual(before);
  });

  test('takes 32 levels and exactly 16 KiB', async () => {
    const id = await seedAgent(management.database, 'bounds');
    const full = { a: 'x'.repeat(16 * 1024 - '{"a":""}'.length) };
    for (const json of [deep(32), JSON.stringify(full)]) {
      const response = await management.call(`/api/v1/agents/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: metadata(json),
      });
      expect(response.status).toBe(200);
    }
    expect((await management.read(`/api/v1/agents/${id}`, agentSchema)).metadata).toEqual(full);
  });
});

test('a reason that is empty, too long, given twice or has a control character is refused and changes nothing', async () => {
  const id = await seedAgent(management.database, 'no-reason');
  const block = (query: string) => management.send('PUT', `/api/v1/agents/${id}?${query}`, { status: 'blocked' });
  for (const reason of ['', ' ', 'x'.repeat(257), 'x'.repeat(10_000), 'a%1bb', 'a%0ab', '%00', '%e2%80%ae'])
    await management.refuse(await block(`reason=${reason}`), 400, 'reason: must be 1 to 256 printable characters');
  await management.refuse(await block('reason=a&reason=b'), 400, 'reason: given more than once');
  expect(await management.read(`/api/v1/agents/${id}`, agentSchema)).toMatchObject({ status: 'active' });
});

describe('retiring an agent', () => {
  test.each([
    ['no body', {}],
    ['broken JSON', { headers: { 'content-type': 'application/json' }, body: '{' }],
    ['another content type', { headers: { 'content-type': 'text/plain' }, body: 'now' }],
  ])('ignores %s', async (_name, init) => {
    const id = await seedAgent(management.database, `retiring ${crypto.randomUUID()}`);
    const response = await management.call(`/api/v1/agents/${id}/retire`, { method: 'POST', ...init });
    expect(response.status).toBe(200);
    const retired = retiredAgentSchema.parse(await response.json());
    const agent = await management.read(`/api/v1/agents/${id}`, agentSchema);
    expect(retired).toEqual({ id, status: 'retired', updated_at: agent.updated_at });
  });
});
