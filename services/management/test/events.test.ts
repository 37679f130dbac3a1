import { agentEventListSchema, type Event, eventListSchema, eventSchema } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let alice: string;
let bob: string;
/** As recorded, oldest first. */
let events: (EventMessage & { lineage_hash: string })[];

beforeAll(async () => {
  alice = await seedAgent(management.database, 'alice');
  bob = await seedAgent(management.database, 'bob');
  events = await seedEvents(management.database, [
    makeEvent(alice, 'ses_one', '2026-03-01T10:00:00.000Z', { direction: 'request', completion_tokens: 0 }),
    makeEvent(alice, 'ses_one', '2026-03-01T10:00:00.001Z', { model: 'o3', cost_nano_usd: 123_456_789 }),
    makeEvent(bob, 'ses_two', '2026-03-01T10:00:00.002Z', { provider: 'anthropic', compliance_tag: 'pci' }),
    makeEvent(bob, 'ses_two', '2026-03-02T00:00:00.000Z', { pii_detected: true, pii_types: ['email', 'iban'] }),
    makeEvent(alice, 'ses_three', '2026-03-03T00:00:00.000Z'),
  ]);
});

const id = (index: number) => events[index]?.id;
const ids = (list: { id: string }[]) => list.map((event) => event.id);

function shown(index: number): Event {
  const event = events[index] as EventMessage & { lineage_hash: string };
  return {
    id: event.id,
    agent_id: event.agent_id,
    session_id: event.session_id,
    timestamp: event.timestamp,
    direction: event.direction,
    model: event.model,
    provider: event.provider,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    total_tokens: event.total_tokens,
    cost_usd: event.cost_nano_usd / 1e9,
    compliance_tag: event.compliance_tag,
    lineage_hash: event.lineage_hash,
    pii_detected: event.pii_detected,
    pii_types: event.pii_types,
  };
}

describe('listing events', () => {
  test('gives the newest first, as they were recorded', async () => {
    const list = await management.read('/api/v1/events', eventListSchema);
    expect(list).toEqual([4, 3, 2, 1, 0].map(shown));
  });

  test.each([
    ['agent_id', () => `agent_id=${bob}`, [3, 2]],
    ['session_id', () => 'session_id=ses_one', [1, 0]],
    ['both', () => `agent_id=${bob}&session_id=ses_one`, []],
    ['from, that moment included', () => 'from=2026-03-02T00:00:00.000Z', [4, 3]],
    ['to, that moment left out', () => 'to=2026-03-02', [2, 1, 0]],
    ['from with an offset from UTC', () => 'from=2026-03-02T02:00:00%2B02:00', [4, 3]],
    ['a time before 1970', () => 'from=0001-01-01T00:00:00Z', [4, 3, 2, 1, 0]],
    ['recorded_after in the past', () => 'recorded_after=2026-01-01', [4, 3, 2, 1, 0]],
    ['recorded_after in the future', () => 'recorded_after=2999-01-01', []],
    ['model', () => 'model=o3', [1]],
    ['provider', () => 'provider=anthropic', [2]],
    ['compliance_tag', () => 'compliance_tag=pci', [2]],
    ['pii_detected=true', () => 'pii_detected=true', [3]],
    ['pii_detected=false', () => 'pii_detected=false', [4, 2, 1, 0]],
    ['limit and offset', () => 'limit=2&offset=1', [3, 2]],
    ['an offset beyond the end', () => 'offset=10', []],
    ['an unknown agent', () => 'agent_id=agt_01k9r3v8w5f2q8m6t4n0x7y1za', []],
    ['an invalid agent id', () => 'agent_id=nobody', []],
    ['what is no session id', () => 'session_id=%00', []],
  ])('filters by %s', async (_name, query, expected) => {
    const list = await management.read(`/api/v1/events?${query()}`, eventListSchema);
    expect(ids(list)).toEqual(expected.map(id));
  });

  test('leads through all pages by Link headers, keeping the filters', async () => {
    const seen: string[] = [];
    let path: string | undefined = `/api/v1/events?limit=2&offset=1&from=2026-03-01`;
    for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
      const response = await management.call(path);
      seen.push(...ids(eventListSchema.parse(await response.json())));
      path = response.headers.get('link')?.match(/^<([^>]+)>; rel="next"$/)?.[1];
      if (path !== undefined) expect(path).toMatch(/limit=2/);
      if (path !== undefined) expect(path).toMatch(/from=2026-03-01/);
    }
    expect(seen).toEqual([3, 2, 1, 0].map(id));
  });

  test('gives 50 by default and up to 1000', async () => {
    await using own = await startTestManagement();
    const agent = await seedAgent(own.database, 'busy');
    const many = Array.from({ length: 1200 }, (_, index) =>
      makeEvent(agent, 'ses_busy', new Date(Date.UTC(2026, 2, 1) + Math.floor(index / 3)).toISOString()),
    );
    await seedEvents(own.database, many);
    expect(await own.read('/api/v1/events', eventListSchema)).toHaveLength(50);
    expect(await own.read('/api/v1/events?limit=1000', eventListSchema)).toHaveLength(1000);
    expect(await own.read(`/api/v1/agents/${agent}/events`, agentEventListSchema)).toHaveLength(1000);
    const session = await own.read('/api/v1/events/sessions/ses_busy', eventListSchema);
    const order = many.map((event) => `${event.timestamp} ${event.id}`).sort();
    expect(session.map((event) => `${event.timestamp} ${event.id}`)).toEqual(order);
    const whole = await own.read('/api/v1/events?limit=1000&offset=1000', eventListSchema);
    expect(whole.at(-1)?.id).toBe(session[0]?.id);
  });

  test.each([
    ['limit=1001', /^limit: /],
    ['limit=0', /^limit: /],
    ['limit=ten', /^limit: /],
    ['offset=-1', /^offset: /],
    ['from=tomorrow', /^from: /],
    ['to=2026-13-01', /^to: /],
    ['recorded_after=1', /^recorded_after: /],
    ['pii_detected=yes', /^pii_detected: /],
    ['cursor=abc', /^cursor: /],
    ['model=%00', /^model: /],
    ['agent_id=a&agent_id=b', /^agent_id: /],
  ])('refuses ?%s and names the field', async (query, error) => {
    await management.refuse(await management.call(`/api/v1/events?${query}`), 400, error);
    if (query.startsWith('agent_id')) return;
    await management.refuse(await management.call(`/api/v1/agents/${alice}/events?${query}`), 400, error);
  });
});

describe('one event', () => {
  test('has all its fields', async () => {
    expect(await management.read(`/api/v1/events/${id(3)}`, eventSchema)).toEqual(shown(3));
  });

  test.each([
    'evt_01k9r3v8w5f2q8m6t4n0x7y1zb',
    'evt_',
    'agt_01k9r3v8w5f2q8m6t4n0x7y1zb',
    '%00',
    '%E0%A4%A',
    'sessions',
  ])('answers 404 for %s', async (unknown) => {
    await management.refuse(await management.call(`/api/v1/events/${unknown}`), 404, 'event not found');
  });
});

test('a total counts what matches on all pages, the page apart', async () => {
  const totalOf = async (path: string) => (await management.call(path)).headers.get('x-total');
  expect(await totalOf('/api/v1/events?total=true&limit=1')).toBe('5');
  expect(await totalOf(`/api/v1/events?total=true&limit=1&cursor=${id(2)}&agent_id=${alice}`)).toBe('3');
  expect(await totalOf(`/api/v1/agents/${bob}/events?total=true&from=2026-03-02T00:00:00.000Z`)).toBe('1');
  expect(await totalOf('/api/v1/sessions?total=true&limit=1')).toBe('3');
  expect(await totalOf(`/api/v1/sessions?total=true&limit=1&agent_id=${bob}`)).toBe('1');
  expect(await totalOf('/api/v1/events?limit=1')).toBeNull();
});

describe('the events of one agent', () => {
  test('are the newest first, without the four fields of rule 2', async () => {
    const list = await management.read(`/api/v1/agents/${alice}/events`, agentEventListSchema);
    expect(ids(list)).toEqual([4, 1, 0].map(id));
    expect(Object.keys(list[0] ?? {}).sort()).toEqual(
      [
        'agent_id',
        'completion_tokens',
        'compliance_tag',
        'cost_usd',
        'id',
        'lineage_hash',
        'model',
        'pii_detected',
        'prompt_tokens',
        'session_id',
        'timestamp',
      ].sort(),
    );
  });

  test('take the same filters and cursors', async () => {
    const response = await management.call(`/api/v1/agents/${alice}/events?limit=1&model=gpt-4o-mini`);
    expect(ids(agentEventListSchema.parse(await response.json()))).toEqual([id(4)]);
    const next = response.headers.get('link')?.match(/^<([^>]+)>/)?.[1] as string;
    expect(ids(await management.read(next, agentEventListSchema))).toEqual([id(0)]);
  });
});

describe('the events of one session', () => {
  test('are the oldest first, with all their fields', async () => {
    expect(await management.read('/api/v1/events/sessions/ses_one', eventListSchema)).toEqual([0, 1].map(shown));
  });

  test.each(['ses_unknown', 'x', '%00', '%ZZ', 'a'.repeat(3000)])('are empty for %s', async (unknown) => {
    expect(await management.read(`/api/v1/events/sessions/${unknown}`, eventListSchema)).toEqual([]);
  });
});
