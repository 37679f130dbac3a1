import { createHash, randomUUIDv7 } from 'node:crypto';
import {
  agentEventListSchema,
  eventDetailSchema,
  listedEventListSchema,
  refusalListSchema,
  unchainedNames,
} from '@agp/core/contracts';
import { columnFields, type EventMessage, eventFields } from '@agp/core/events';
import { fromPublicId, toPublicId } from '@agp/core/ids';
import { addRefusals, type RefusedRequest } from '@agp/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let agent: string;
beforeAll(async () => {
  agent = await seedAgent(management.database, 'detailed');
});

const readDetail = (id: string) => management.read(`/api/v1/events/${id}/detail`, eventDetailSchema);
const list = (query: string) => management.read(`/api/v1/events?${query}`, listedEventListSchema);
const seed = (...events: EventMessage[]) => seedEvents(management.database, events);
let minute = 0;
const at = () => `2026-03-01T10:${String(minute++ % 60).padStart(2, '0')}:00.000Z`;
const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const failed: Partial<EventMessage> = {
  ...{ outcome: 'failed', http_status: 502, failure: 'name_not_found', method: 'POST', path: '/v1/chat/completions' },
  ...{ request_id: 'caller-1', provider_request_id: 'req_of_provider', duration_ms: 31, first_byte_ms: null },
  ...{ pii_scan: 'partial', pii_detected: true, pii_types: ['email'], usage_source: 'estimated', price_version: 'p1' },
  pii_findings: [{ in: 'request', message: 2, type: 'email' }],
};

describe('the detail of an event', () => {
  test('has all that is known, says what no hash covers, and proves its place', async () => {
    const events = await seed(
      makeEvent(agent, 'ses_detail', at()),
      makeEvent(agent, 'ses_detail', at(), failed),
      makeEvent(agent, 'ses_detail', at()),
    );
    const [first, event, last] = events as [(typeof events)[0], (typeof events)[0], (typeof events)[0]];
    const shown = await readDetail(event.id);
    expect(shown).toMatchObject({ ...failed, id: event.id, agent_name: 'detailed', source_ip: event.source_ip });
    expect(shown.not_chained).toEqual([...unchainedNames]);
    expect(shown.chain).toMatchObject({ seq: 1, previous_hash: first.lineage_hash, hash_matches: true, altered: [] });
    expect(sha256(`${first.lineage_hash}${shown.chain.payload}`)).toBe(shown.lineage_hash);
    const payload = JSON.parse(shown.chain.payload);
    for (const name of shown.not_chained) expect(payload).not.toHaveProperty(name);
    const chained = Object.keys(shown).filter(
      (name) => !['lineage_hash', 'not_chained', 'chain', ...unchainedNames].includes(name),
    );
    for (const name of chained) expect([name, payload[name]]).toEqual([name, shown[name as keyof typeof shown]]);
    expect((await readDetail(first.id)).chain).toMatchObject({ seq: 0, previous_hash: 'genesis', hash_matches: true });
    expect((await readDetail(last.id)).chain).toMatchObject({
      seq: 2,
      previous_hash: event.lineage_hash,
      hash_matches: true,
    });
  });

  test('finds the event before it in the chain where requests ended in another order than they began', async () => {
    const times = Array.from({ length: 5 }, at);
    const order = [3, 0, 4, 1, 2].map((index) => makeEvent(agent, 'ses_order', times[index] as string));
    for (const { id } of await seed(...order)) expect((await readDetail(id)).chain.hash_matches).toBe(true);
  });

  test('names what was changed in the database, and takes any payload', async () => {
    const [event] = await seed(makeEvent(agent, 'ses_changed', at(), failed));
    const id = event?.id ?? '';
    const change = (set: string) =>
      management.database.pool.query(`UPDATE events SET ${set} WHERE id = $1`, [fromPublicId('evt', id)]);
    await change("cost_usd = 0, outcome = 'completed'");
    expect((await readDetail(id)).chain).toMatchObject({ hash_matches: true, altered: ['cost_usd', 'outcome'] });
    await change(`payload = replace(payload, '"email"', '"none"')`);
    expect((await readDetail(id)).chain).toMatchObject({ hash_matches: false });
    for (const payload of ['x', 'null', '[]', '{"outcome":{"a":1},"duration_ms":"x"}', '['.repeat(50_000)]) {
      await management.database.pool.query('UPDATE events SET payload = $2 WHERE id = $1', [
        fromPublicId('evt', id),
        payload,
      ]);
      const shown = await readDetail(id);
      expect(shown).toMatchObject({ duration_ms: null, method: null, failure: 'name_not_found' });
      expect(shown.chain).toMatchObject({ hash_matches: false, payload });
    }
  });

  const forged: Record<string, string> = {
    uuid: `'${randomUUIDv7()}'`,
    word: "'request'",
    text: "'forged'",
    bigint: '7777',
    smallint: '599',
    numeric: '9.5',
    boolean: 'NOT $',
    timestamptz: "$ + interval '1 hour'",
    'text[]': "'{forged}'",
    outcome: "'completed'",
    pii_scan: "'none'",
    session_id: "'ses_forged'",
    decision: `'[{"policy":"forged","version":1,"rule":"models","action":"cut"}]'`,
    tools: `'{"declared":[],"called":[],"more":1}'`,
  };
  const chained = columnFields.filter((name) => eventFields[name].in === 'chain' && !/^(?:id|agent_id)$/.test(name));

  test.each(chained)('names %s, which the owner of the database forged', async (name) => {
    const own: Partial<EventMessage> = { ...failed, outcome: 'failed', http_status: 502 };
    const [event] = await seed(makeEvent(agent, `ses_forged_${name}`, at(), own));
    const id = event?.id ?? '';
    const [column, row] = [name === 'cost_nano_usd' ? 'cost_usd' : name, eventFields[name]];
    const value = (forged[name] ?? forged[row.column] ?? '').replace('$', `"${column}"`);
    await management.database.pool.query(`UPDATE events SET "${column}" = ${value} WHERE id = $1`, [
      fromPublicId('evt', id),
    ]);
    const { chain } = await readDetail(id);
    // A session of another name has no event before it.
    if (name === 'session_id') expect(chain.altered).toContain(column);
    else expect(chain).toMatchObject({ hash_matches: true, altered: [column] });
  });

  test.each(['agt_01k9r3v8w5f2q8m6t4n0x7y1za', 'evt_x', '%00', '%ZZ', 'a'.repeat(5_000), "'%20OR%201=1"])(
    'of %s is unknown',
    async (id) => {
      await management.refuse(await management.call(`/api/v1/events/${id}/detail`), 404, 'event not found');
    },
  );
});

describe('lists', () => {
  test('of events find them by how they ended, by their ids and by kinds of personal data', async () => {
    const own = await seedAgent(management.database, 'filtered');
    const events = await seed(
      makeEvent(own, 'ses_filtered', at(), {
        ...failed,
        http_status: 404,
        request_id: 'filter-1',
        provider_request_id: 'their-1',
      }),
      makeEvent(own, 'ses_filtered', at(), {
        outcome: 'killed',
        http_status: 200,
        request_id: 'filter-1',
        pii_scan: 'full',
      }),
      makeEvent(own, 'ses_filtered', at(), {
        outcome: 'completed',
        http_status: 200,
        request_id: 'filter-2',
        pii_scan: 'none',
      }),
    );
    const [first, second, third] = events.map(({ id }) => id);
    const ids = async (query: string) => (await list(`agent_id=${own}&${query}`)).map(({ id }) => id);
    expect(await ids('outcome=failed')).toEqual([first]);
    expect(await ids('outcome=completed')).toEqual([third]);
    expect(await ids('failed=true')).toEqual([first]);
    expect(await ids('http_status=404')).toEqual([first]);
    expect(await ids('http_status=2xx')).toEqual([third, second]);
    expect(await ids('http_status=5xx')).toEqual([]);
    expect(await ids('request_id=filter-1')).toEqual([second, first]);
    expect(await ids('request_id=filter-1&outcome=killed')).toEqual([second]);
    expect(await ids('provider_request_id=their-1')).toEqual([first]);
    expect(await ids('pii_type=email')).toEqual([first]);
    expect(await ids('pii_type=phone')).toEqual([]);
    const [plain] = await list(`agent_id=${own}&limit=1`);
    expect(plain).not.toHaveProperty('outcome');
    expect(await list(`agent_id=${own}&expand=outcome,agent&limit=2`)).toMatchObject([
      {
        agent_name: 'filtered',
        outcome: 'completed',
        http_status: 200,
        failure: null,
        request_id: 'filter-2',
        pii_scan: 'none',
      },
      { agent_name: 'filtered', outcome: 'killed', pii_scan: 'full' },
    ]);
    const ofAgent = await management.read(
      `/api/v1/agents/${own}/events?outcome=failed&expand=outcome`,
      agentEventListSchema,
    );
    expect(ofAgent).toMatchObject([{ id: first, outcome: 'failed', failure: 'name_not_found' }]);
  });

  test.each([
    ['outcome=broken', /^outcome: /],
    ['failed=false', /^failed: /],
    ['http_status=600', /^http_status: must be a status such as 404, or a class such as 4xx$/],
    ['http_status=4x', /^http_status: /],
    [`request_id=${'a'.repeat(10_000)}`, /^request_id: must be 1 to 128 printable ASCII characters without spaces$/],
    ['request_id=a%1bb', /^request_id: /],
    [`provider_request_id=${'a'.repeat(10_000)}`, /^provider_request_id: /],
    ['expand=outcome,secrets', /^expand: /],
  ])('of events answer %.40s with 400', async (query, error) => {
    await management.refuse(await management.call(`/api/v1/events?${query}`), 400, error);
  });

  test('of refusals show them singly, newest first, by agent, reason, time and request id, page by page', async () => {
    const own = await seedAgent(management.database, 'refused-often');
    const agentId = fromPublicId('agt', own);
    const requests = Array.from({ length: 5 }, () => randomUUIDv7())
      .toSorted()
      .map(
        (id, index): RefusedRequest => ({
          ...{ id, agentId, reason: index < 3 ? 'agent_blocked' : 'rate_limited', requestId: `refused-${index}` },
          ...{
            sourceIp: '10.0.0.9',
            ...{ rule: null, decision: null, told: null, count: 1, added: 1 },
            provider: index === 0 ? null : 'openai',
            path: index === 0 ? null : '/v1/x',
          },
        }),
      );
    const now = Date.now();
    await addRefusals(management.database.pool, [
      {
        minute: now - (now % 60_000),
        agentId,
        reason: 'agent_blocked',
        count: 5,
        sourceIp: '10.0.0.9',
        refusedAt: now,
        requests,
      },
    ]);
    const read = (query: string) => management.read(`/api/v1/refusals?${query}`, refusalListSchema);
    const names = async (query: string) => (await read(query)).map(({ request_id }) => request_id);
    const all = ['refused-4', 'refused-3', 'refused-2', 'refused-1', 'refused-0'];
    expect(await names(`agent_id=${own}`)).toEqual(all);
    expect(await read(`agent_id=${own}&limit=1`)).toEqual([
      {
        ...{ id: toPublicId('ref', requests[4]?.id ?? ''), timestamp: expect.any(String), agent_id: own },
        ...{ agent_name: 'refused-often', reason: 'rate_limited', request_id: 'refused-4', source_ip: '10.0.0.9' },
        ...{ provider: 'openai', path: '/v1/x', rule: null, told: null, count: 1 },
      },
    ]);
    expect(await names(`agent_id=${own}&reason=agent_blocked`)).toEqual(all.slice(2));
    expect(await names(`agent_id=${own}&provider=openai`)).toEqual(all.slice(0, 4));
    expect(await names(`agent_id=${own}&provider=nobody`)).toEqual([]);
    expect(await names('request_id=refused-3')).toEqual(['refused-3']);
    expect(await names(`agent_id=${own}&to=2026-01-01`)).toEqual([]);
    expect(await names(`agent_id=${own}&from=1h`)).toEqual(all);
    expect(await names('agent_id=nobody')).toEqual([]);
    const pages: string[] = [];
    for (let path: string | undefined = `/api/v1/refusals?agent_id=${own}&limit=2`; path !== undefined; ) {
      const response: Response = await management.call(path);
      pages.push(...refusalListSchema.parse(await response.json()).map(({ request_id }) => request_id));
      path = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual(all);
    for (const query of ['cursor=evt_x', 'limit=0', `request_id=${'a'.repeat(10_000)}`, 'offset=1'])
      expect((await management.call(`/api/v1/refusals?${query}`)).status, query).toBe(400);
  });
});
