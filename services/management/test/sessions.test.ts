import { createHash } from 'node:crypto';
import { lineageSchema, lineageVerdictSchema, sessionDetailSchema, sessionListSchema } from '@agp/core/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents, seedSession } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let agent: string;
beforeAll(async () => {
  agent = await seedAgent(management.database, 'worker');
  await seedEvents(management.database, [
    // Recorded out of order: the chain follows the recording, lists follow the timestamps.
    makeEvent(agent, 'ses_old', '2026-03-01T00:00:01.500Z', { compliance_tag: 'late', cost_nano_usd: 100_000_000 }),
    makeEvent(agent, 'ses_old', '2026-03-01T00:00:00.000Z', {
      cost_nano_usd: 200_000_000,
      pii_detected: true,
      pii_types: ['email'],
    }),
    makeEvent(agent, 'ses_b', '2026-03-02T00:00:00.000Z'),
    makeEvent(agent, 'ses_a', '2026-03-02T00:00:00.000Z'),
    makeEvent(agent, 'ses_new', '2026-03-03T00:00:00.000Z'),
  ]);
  await seedSession(management.database, 'ses_claimed', agent);
  await management.send('PUT', `/api/v1/agents/${agent}`, { labels: { team: 'a' } });
});

describe('listing sessions', () => {
  test('gives the latest start first, ties by id, and none that was only claimed', async () => {
    const sessions = await management.read('/api/v1/sessions', sessionListSchema);
    expect(sessions.map((session) => session.id)).toEqual(['ses_new', 'ses_a', 'ses_b', 'ses_old']);
    expect(sessions.at(-1)).toEqual({
      id: 'ses_old',
      agent_id: agent,
      agent_name: 'worker',
      started_at: '2026-03-01T00:00:00.000Z',
      ended_at: '2026-03-01T00:00:01.500Z',
      duration_ms: 1500,
      event_count: 2,
      total_tokens: 30,
      total_cost_usd: 0.3,
      compliance_tag: 'late',
      pii_detected: true,
    });
    const named = await management.read('/api/v1/sessions?expand=names', sessionListSchema);
    expect(named.at(-1)).toEqual({ ...sessions.at(-1), name: null, labels: ['team=a'] });
    const head = async (query: string) => {
      const answer = await management.call(`/api/v1/sessions${query}`, { headers: { accept: 'text/csv' } });
      return (await answer.text()).split('\r\n', 1)[0];
    };
    expect(await head('')).toBe(Object.keys(sessions[0] ?? {}).join());
    expect(await head('?expand=names')).toBe(Object.keys(named[0] ?? {}).join());
    expect(await management.read('/api/v1/sessions?limit=2&offset=1', sessionListSchema)).toEqual(sessions.slice(1, 3));
    expect(await management.read('/api/v1/sessions?offset=4', sessionListSchema)).toEqual([]);
    await management.refuse(await management.call('/api/v1/sessions?limit=1001'), 400, /^limit: /);
  });

  test('filters by agent and by the time of their start', async () => {
    const idle = await seedAgent(management.database, 'idle');
    const ids = async (query: string) =>
      (await management.read(`/api/v1/sessions?${query}`, sessionListSchema)).map((session) => session.id);
    expect(await ids(`agent_id=${agent}`)).toEqual(['ses_new', 'ses_a', 'ses_b', 'ses_old']);
    for (const nobody of [idle, 'nobody', '%00']) expect(await ids(`agent_id=${nobody}`)).toEqual([]);
    expect(await ids('label=team=a&limit=1')).toEqual(['ses_new']);
    expect(await ids('label=team=b')).toEqual([]);
    expect(await ids('name=march-close')).toEqual([]);
    expect(await ids('from=2026-03-02T00:00:00Z')).toEqual(['ses_new', 'ses_a', 'ses_b']);
    expect(await ids('to=2026-03-02&from=0001-01-01')).toEqual(['ses_old']);
    expect(await ids(`agent_id=${agent}&from=2026-03-02&to=9999-12-31&limit=1&offset=1`)).toEqual(['ses_a']);
  });

  test('leads through all pages by Link headers, also where many start at once, and whatever begins meanwhile', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'pages');
    const seed = (name: string, time: string) => seedEvents(own.database, [makeEvent(id, `ses_${name}`, time)]);
    for (const name of ['c', 'a-1', 'b_2', 'd']) await seed(name, '2026-03-01T00:00:00.001Z');
    await seed('early', '1969-12-31T23:59:59.999Z');
    const seen: string[] = [];
    let path: string | undefined = `/api/v1/sessions?limit=2&offset=1&agent_id=${id}`;
    for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
      const response = await own.call(path);
      seen.push(...sessionListSchema.parse(await response.json()).map((session) => session.id));
      path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
      if (path !== undefined) expect(path).toContain(id);
      await seed(`new-${pages}`, '2026-03-02T00:00:00.000Z');
    }
    expect(seen).toEqual(['ses_b_2', 'ses_c', 'ses_d', 'ses_early']);
    // Without a limit a cursor gives all that is left.
    const rest = await own.read('/api/v1/sessions?cursor=1772323200001.ses_c', sessionListSchema);
    expect(rest.map((session) => session.id)).toEqual(['ses_d', 'ses_early']);
  });

  test.each([
    '',
    'ses_c',
    '1.',
    '.ses_c',
    '1.ses_',
    '1.5.ses_c',
    `${'9'.repeat(15)}9.ses_c`,
    'x.ses_c',
    '1.ses_%00',
    '8999999999999999.ses_c',
  ])('refuses the cursor %j', async (cursor) => {
    await management.refuse(await management.call(`/api/v1/sessions?cursor=${cursor}`), 400, /^cursor: must be one/);
  });

  test('is complete over many pages of the database, each session once and in order', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'many');
    // Four sessions start in each millisecond, so that pages are cut inside a tie.
    await own.database.pool.query(`
      INSERT INTO sessions (id, agent_id, started_at, ended_at, event_count, compliance_tag)
      SELECT 'ses_' || i, (SELECT id FROM agents), t, t, 1, 'default'
      FROM generate_series(1, 3500) i, LATERAL (SELECT timestamptz '2026-01-01Z' + (i / 4) * interval '1 ms') AS at (t)`);
    const sessions = await own.read('/api/v1/sessions', sessionListSchema);
    expect(sessions).toHaveLength(3500);
    expect(sessions[0]?.agent_id).toBe(id);
    const order = sessions.map((session) => session.id);
    const expected = await own.database.pool.query<{ id: string }>(
      'SELECT id FROM sessions ORDER BY started_at DESC, id',
    );
    expect(order).toEqual(expected.rows.map((row) => row.id));
    const window = await own.read('/api/v1/sessions?offset=3000', sessionListSchema);
    expect(window.map((session) => session.id)).toEqual(order.slice(3000));
  });

  test('of nothing is an empty list', async () => {
    await using own = await startTestManagement();
    expect(await own.read('/api/v1/sessions', sessionListSchema)).toEqual([]);
  });
});

describe('one session', () => {
  test('has its totals and all its events by timestamp, without the provider', async () => {
    const { session, events } = await management.read('/api/v1/sessions/ses_old', sessionDetailSchema);
    expect(session).toMatchObject({ id: 'ses_old', event_count: 2, total_cost_usd: 0.3 });
    expect(events.map((event) => event.timestamp)).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:01.500Z']);
    expect(events[0]).not.toHaveProperty('provider');
    expect(events[0]).toMatchObject({ direction: 'response', total_tokens: 15, pii_types: ['email'] });
  });

  test('has as many events as its totals say while more are being recorded', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'recording');
    const batch = (index: number) =>
      Array.from({ length: 50 }, (_, at) =>
        makeEvent(id, 'ses_live', new Date(1.78e12 + index * 100 + at).toISOString()),
      );
    await seedEvents(own.database, batch(0));
    const recording = (async () => {
      for (let index = 1; index < 40; index += 1) await seedEvents(own.database, batch(index));
    })();
    for (let reads = 0; reads < 15; reads += 1) {
      const { session, events } = await own.read('/api/v1/sessions/ses_live', sessionDetailSchema);
      expect(events).toHaveLength(session.event_count);
    }
    await recording;
    expect((await own.read('/api/v1/sessions/ses_live', sessionDetailSchema)).events).toHaveLength(2000);
  });

  test.each(['ses_unknown', 'ses_claimed', 'x', '%00', '%ZZ', 'a'.repeat(3000)])('answers 404 for %s', async (id) => {
    await management.refuse(await management.call(`/api/v1/sessions/${id}`), 404, 'session not found');
  });
});

describe('the lineage of a session', () => {
  test('can be verified with nothing but the answer, in chain order', async () => {
    const lineage = await management.read('/api/v1/lineage/ses_old', lineageSchema);
    expect(lineage.session_id).toBe('ses_old');
    let previous = 'genesis';
    lineage.entries.forEach((entry, seq) => {
      const hash = `sha256:${createHash('sha256')
        .update(previous + entry.payload)
        .digest('hex')}`;
      expect(entry).toMatchObject({ seq, lineage_hash: hash });
      expect(JSON.parse(entry.payload)).toMatchObject({ v: 2, seq, id: entry.event_id, session_id: 'ses_old' });
      previous = hash;
    });
    const times = lineage.entries.map((entry) => JSON.parse(entry.payload).timestamp);
    expect(times).toEqual(['2026-03-01T00:00:01.500Z', '2026-03-01T00:00:00.000Z']);
  });

  test('is verified by the service, which names the first event that is not as it was written', async () => {
    await using own = await startTestManagement();
    const checked = await seedAgent(own.database, 'checked');
    const events = Array.from({ length: 700 }, (_, index) =>
      makeEvent(checked, 'ses_checked', new Date(1.78e12 + index).toISOString()),
    );
    await seedEvents(own.database, events);
    const verify = () => own.read('/api/v1/lineage/ses_checked/verify', lineageVerdictSchema);
    const { entries } = await own.read('/api/v1/lineage/ses_checked', lineageSchema);
    const whole = { session_id: 'ses_checked', valid: true, length: 700, head: entries.at(-1)?.lineage_hash };
    expect(await verify()).toEqual({ ...whole, first_divergence: null });

    const { pool } = own.database;
    const tamper = async (sql: string) => {
      await pool.query(`CREATE TABLE kept AS SELECT * FROM events`);
      await pool.query(sql);
      const found = await verify();
      await pool.query('TRUNCATE events');
      await pool.query('INSERT INTO events SELECT * FROM kept');
      await pool.query('DROP TABLE kept');
      return found;
    };
    const changed = `UPDATE events SET payload = replace(payload, '"v":2', '"v":1') WHERE seq = 650`;
    expect(await tamper(changed)).toEqual({ ...whole, valid: false, first_divergence: 650 });
    const shown = 'UPDATE events SET cost_usd = cost_usd + 1 WHERE seq = 600';
    expect(await tamper(shown)).toEqual({ ...whole, valid: false, first_divergence: 600 });
    for (const lie of ["outcome = 'failed'", 'http_status = 500', "provider_request_id = 'x'", "pii_scan = 'partial'"])
      expect(await tamper(`UPDATE events SET ${lie} WHERE seq = 600`), lie).toMatchObject({ first_divergence: 600 });
    const removed = 'DELETE FROM events WHERE seq = 3';
    expect(await tamper(removed)).toEqual({ ...whole, valid: false, first_divergence: 3 });
    const cut = 'DELETE FROM events WHERE seq >= 690';
    expect(await tamper(cut)).toEqual({ ...whole, valid: false, first_divergence: 690 });
    expect(await tamper('DELETE FROM events')).toEqual({ ...whole, valid: false, first_divergence: 0 });
    expect(await verify()).toEqual({ ...whole, first_divergence: null });
    await own.refuse(await own.call('/api/v1/lineage/ses_unknown/verify'), 404, 'session not found');

    // Without its head nothing says where the chain ended: that is no whole chain either.
    await pool.query('DELETE FROM lineage_heads');
    expect(await verify()).toMatchObject({ valid: false, first_divergence: 0 });
    expect((await own.read('/api/v1/lineage/ses_checked', lineageSchema)).entries).toHaveLength(700);
  });

  test('is complete for a long session', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'long');
    const times = Array.from({ length: 1300 }, (_, index) => new Date(1.78e12 + ((index * 7919) % 1300)).toISOString());
    await seedEvents(
      own.database,
      times.map((time) => makeEvent(id, 'ses_long', time)),
    );
    const { entries } = await own.read('/api/v1/lineage/ses_long', lineageSchema);
    expect(entries.map((entry) => entry.seq)).toEqual(times.map((_, seq) => seq));
  });

  test.each(['ses_unknown', 'ses_claimed', 'x', '%00'])('answers 404 for %s', async (id) => {
    await management.refuse(await management.call(`/api/v1/lineage/${id}`), 404, 'session not found');
  });
});

describe('the base edition', () => {
  test('has no sessions, and everything else', async () => {
    await using base = await startTestManagement({ edition: 'base' });
    const id = await seedAgent(base.database, 'basic');
    await seedEvents(base.database, [makeEvent(id, 'ses_basic', '2026-03-01T00:00:00.000Z')]);
    for (const path of ['/api/v1/sessions', '/api/v1/sessions?limit=5000', '/api/v1/sessions/ses_basic']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
        await base.refuse(await base.call(path, { method }), 404, 'not available in the base edition');
    }
    const { paths } = (await (await base.call('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths)).toContain('/api/v1/agents');
    expect(Object.keys(paths).filter((path) => path.startsWith('/api/v1/sessions'))).toEqual([]);
    await base.refuse(await base.call('/api/v1/sessions', { headers: { authorization: '' } }), 401, /API key/);
    for (const path of [
      '/api/v1/agents',
      `/api/v1/agents/${id}`,
      `/api/v1/agents/${id}/events`,
      '/api/v1/events',
      '/api/v1/events/sessions/ses_basic',
      '/api/v1/costs/summary',
      '/api/v1/costs/breakdown',
      '/api/v1/costs/unpriced',
      '/api/v1/costs/doubtful',
      '/api/v1/lineage/ses_basic',
      '/api/v1/keys',
      '/openapi.json',
      '/docs',
    ]) {
      expect((await base.call(path)).status, path).toBe(200);
    }
  });
});
