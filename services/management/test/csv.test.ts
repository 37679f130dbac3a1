import { once } from 'node:events';
import { connect } from 'node:net';
import { eventListSchema, listedEventListSchema, sessionListSchema } from '@agp/core/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { bootstrapKey, shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const formulaName = '=HYPERLINK("http://x","a,b")';
const formulaModel = "-2+3\r\n=cmd|' /C calc'!A0;=1+1";

const management = shareTestManagement();
let agent: string;
beforeAll(async () => {
  agent = await seedAgent(management.database, formulaName);
  await seedEvents(management.database, [
    makeEvent(agent, 'ses_one', '2026-03-01T10:00:00.000Z', { cost_nano_usd: 500, model: formulaModel }),
    makeEvent(agent, 'ses_one', '2026-03-01T10:00:01.000Z', { compliance_tag: '@sum', provider: '+demo' }),
    makeEvent(agent, 'ses_two', '2026-03-02T10:00:00.000Z', { pii_detected: true, pii_types: ['email', 'iban'] }),
  ]);
});

const ask = (path: string, accept = 'text/csv') => management.call(path, { headers: { accept } });

/** Reads CSV as RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

async function readCsv(path: string): Promise<Record<string, string>[]> {
  const response = await ask(path);
  expect(response.status, path).toBe(200);
  const [head = [], ...rows] = parseCsv(await response.text());
  for (const row of rows) expect(row).toHaveLength(head.length);
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

describe('CSV', () => {
  test('is what a list holds in JSON, under the same names and in the same order', async () => {
    const shownIn = ['events', `agents/${agent}/events`, 'events/sessions/ses_one', 'sessions', 'costs/breakdown'];
    for (const path of [...shownIn, 'costs/unpriced', 'costs/doubtful', 'costs/unrecorded', 'costs/summary']) {
      const json = [await (await management.call(`/api/v1/${path}`)).json()].flat() as Record<string, unknown>[];
      const rows = await readCsv(`/api/v1/${path}`);
      expect(rows, path).toHaveLength(json.length);
      for (const [at, row] of json.entries()) {
        expect(Object.keys(rows[at] ?? {})).toEqual(Object.keys(row));
        for (const [name, value] of Object.entries(row)) {
          const cell = rows[at]?.[name];
          if (typeof value === 'number') expect(Number(cell)).toBe(value);
          else if (typeof value === 'string' && /^[\w:-]+$/.test(value)) expect(cell).toBe(value);
        }
      }
    }
    expect((await readCsv('/api/v1/events?limit=1'))[0]).toMatchObject({
      pii_types: 'email;iban',
      pii_detected: 'true',
    });
  });

  test('says of tokens without a price that there is none, not that they cost 0', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'pricey');
    const at = '2026-03-01T10:00:00.000Z';
    await seedEvents(own.database, [makeEvent(id, 'ses_new', at, { price_version: null, cost_nano_usd: 0 })]);
    const lists = ['events', `agents/${id}/events`, 'sessions', 'costs/breakdown', 'costs/summary', 'costs/usage'];
    for (const path of lists) {
      const text = await (await own.call(`/api/v1/${path}`, { headers: { accept: 'text/csv' } })).text();
      const [head = [], row = []] = parseCsv(text);
      const costs = row.filter((_, column) => /cost.*_usd$/.test(head[column] ?? ''));
      expect(new Set(costs), path).toEqual(new Set(['no price']));
    }
  });

  test('keeps formulas of names, models and tags from being computed, and numbers numbers', async () => {
    const events = await readCsv('/api/v1/events?expand=agent');
    expect(events[1]).toMatchObject({ agent_name: `'${formulaName}`, compliance_tag: "'@sum", provider: "'+demo" });
    expect(events[2]).toMatchObject({
      model: "'-2+3\r'\n'=cmd|' /C calc'!A0;'=1+1",
      cost_usd: '0.000000500',
      prompt_tokens: '10',
    });
    expect((await readCsv('/api/v1/sessions'))[0]).toMatchObject({ agent_name: `'${formulaName}` });
    expect((await readCsv('/api/v1/costs/breakdown'))[0]?.models_used).not.toMatch(/(^|[;|\t\r\n])[=+\-@]/);
  });

  test('is a file with a name, and caches hear what it depends on', async () => {
    const csv = await ask('/api/v1/events');
    expect(Object.fromEntries(csv.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=events.csv',
      vary: 'Accept',
    });
    const json = await ask('/api/v1/events', 'application/json');
    expect(json.headers.get('vary')).toBe('Accept');
    expect(json.headers.get('content-disposition')).toBeNull();
    const empty = await ask('/api/v1/events?agent_id=nobody');
    expect(await empty.text()).toMatch(/^id,agent_id,session_id,.*,pii_types\r\n$/);
    const more = await ask('/api/v1/events?agent_id=nobody&expand=outcome');
    expect(await more.text()).toMatch(
      /,pii_types,outcome,http_status,failure,endpoint,request_id,provider_request_id,pii_scan\r\n$/,
    );
  });

  test.each([
    ['text/csv', true],
    ['text/*', true],
    ['application/json;q=0.5, text/csv;q=0.9', true],
    ['text/html, text/csv;q=0.1', true],
    ['TEXT/CSV', true],
    ['*/*', false],
    ['text/csv, application/json', true],
    ['application/json, text/csv', false],
    ['text/csv;q=0.5, */*;q=0.9', false],
    ['text/csv;q=0', false],
    ['text/html', false],
    ['', false],
    [',;q=,'.repeat(500), false],
  ])('is sent for Accept: %s: %s', async (accept, isCsv) => {
    for (const path of ['/api/v1/events', '/api/v1/sessions', '/api/v1/costs/summary']) {
      const type = (await ask(path, accept)).headers.get('content-type');
      expect(type, path).toBe(isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8');
    }
  });

  test('leaves errors, and lists that have none, in JSON', async () => {
    await management.refuse(await ask('/api/v1/events?limit=0'), 400, /^limit: /);
    expect((await ask('/api/v1/agents')).headers.get('content-type')).toMatch(/json/);
  });

  test('comes in the pages that JSON comes in', async () => {
    for (const [list, schema] of [
      ['events', eventListSchema],
      ['sessions', sessionListSchema],
    ] as const) {
      const all = await management.read(`/api/v1/${list}`, schema);
      const seen: (string | undefined)[] = [];
      let path: string | undefined = `/api/v1/${list}?limit=1`;
      for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
        const response = await ask(path);
        seen.push(
          ...parseCsv(await response.text())
            .slice(1)
            .map(([id]) => id),
        );
        path = /^<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(all.map(({ id }) => id));
    }
  });
});

test('readers that do not read a CSV of everything hold no connection and delay no block', async () => {
  await using own = await startTestManagement();
  const victim = await seedAgent(own.database, 'victim');
  const sessions = 40_000;
  await own.database.pool.query(`
    INSERT INTO sessions (id, agent_id, started_at, ended_at, event_count, compliance_tag)
    SELECT 'ses_' || repeat('x', 40) || i, (SELECT id FROM agents), t, t, 1, repeat('t', 60)
    FROM generate_series(1, ${sessions}) i, LATERAL (SELECT timestamptz '2026-01-01Z' + i * interval '1 ms') AS at (t)`);
  const { port } = new URL(own.service.url);
  const readers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `GET /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/csv\r\nAuthorization: Bearer ${bootstrapKey}\r\n\r\n`,
      );
      // Reads until the answer has begun, and nothing after.
      await once(socket, 'readable');
      return socket;
    }),
  );
  try {
    const blocked = await own.send('PUT', `/api/v1/agents/${victim}`, { status: 'blocked' });
    expect(await blocked.json()).toMatchObject({ status: 'blocked' });
    // No connection is held for those that wait for their reader.
    const held = `SELECT FROM pg_stat_activity
      WHERE application_name = 'agp-management' AND state <> 'idle' AND datname = current_database()`;
    await expect.poll(async () => (await own.database.pool.query(held)).rowCount).toBe(0);
  } finally {
    for (const socket of readers) socket.destroy();
  }
  const csv = await own.call('/api/v1/sessions', { headers: { accept: 'text/csv' } });
  expect(parseCsv(await csv.text())).toHaveLength(sessions + 1);
});

describe('expand=agent', () => {
  test('adds the name of the agent to each event, and nothing changes without it', async () => {
    for (const path of ['/api/v1/events', '/api/v1/events/sessions/ses_one']) {
      const plain = await management.read(path, eventListSchema);
      const expanded = await management.read(`${path}?expand=agent`, listedEventListSchema);
      expect(expanded).toEqual(plain.map((event) => ({ ...event, agent_name: formulaName })));
    }
    await management.refuse(await management.call('/api/v1/events?expand=session'), 400, /^expand: /);
  });
});
