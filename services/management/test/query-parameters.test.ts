import { agentSchema, eventListSchema } from '@agp/core/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { listRoutes } from '../src/routes/index.ts';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let agent: string;
beforeAll(async () => {
  agent = await seedAgent(management.database, 'worker');
});

const unknownFault = (names: readonly string[]) =>
  names.length === 0 ? 'there are none here' : `those that exist: ${names.join(', ')}`;

describe('a parameter that an endpoint does not have', () => {
  test('is refused by every endpoint, which names it and those that exist', async () => {
    for (const { method, path, query } of listRoutes()) {
      const target = path.replace(/\{\w+\}/g, agent);
      const response = await management.call(`${target}?frm=2026-11-20`, { method: method.toUpperCase() });
      const error = `frm: unknown parameter; ${unknownFault(Object.keys(query?.shape ?? {}))}`;
      await management.refuse(response, 400, error);
    }
    const head = await management.call('/api/v1/costs/breakdown?from=yesterday', { method: 'HEAD' });
    expect(head.status).toBe(400);
  });

  test.each([
    ['events?pii_type=emial', 'pii_type: must be one kind that is searched for, such as email; docs/pii.md lists them'],
    ['events?pii_type=iban,email', /^pii_type: must be one kind /],
    ['events?pii_type=toString', /^pii_type: must be one kind /],
    ['refusals?reason=blocked', 'reason: must be the code of a refusal, such as agent_blocked'],
    ['refusals?reason=constructor', /^reason: must be the code /],
  ])(
    'with a value that nothing has is refused, so that nobody takes an empty list for an all-clear: %s',
    async (path, error) => {
      await management.refuse(await management.call(`/api/v1/${path}`), 400, error);
    },
  );

  test('keeps a change from being made', async () => {
    const response = await management.send('PUT', `/api/v1/agents/${agent}?dry_run=true`, { status: 'blocked' });
    await management.refuse(response, 400, /^dry_run: unknown parameter; /);
    expect(await management.read(`/api/v1/agents/${agent}`, agentSchema)).toMatchObject({ status: 'active' });
  });

  test.each([
    ['no such path', '/api/v1/nothing?x=1', {}, 404],
    ['a method that the path does not have', '/api/v1/events?x=1', { method: 'DELETE' }, 405],
    ['a bad key', '/api/v1/events?x=1', { headers: { authorization: 'Bearer agm_no' } }, 401],
  ])('changes nothing about the answer for %s', async (_name, path, init, status) => {
    expect((await management.call(path, init)).status).toBe(status);
  });

  test.each(['__proto__', 'constructor', 'toString', 'Limit', 'limit[]', 'limit%20', ''])(
    'is refused as %j',
    async (name) => {
      await management.refuse(
        await management.call(`/api/v1/events?${name}=1`),
        400,
        /: unknown parameter; those that exist: limit, /,
      );
    },
  );

  test('is found after any number of others, and the message stays short', async () => {
    const late = await management.call(`/api/v1/costs/summary?${'&'.repeat(5_000)}from=7d`);
    await management.refuse(late, 400, 'from: unknown parameter; there are none here');
    const names = Array.from({ length: 700 }, (_, index) => `${'x%00'.repeat(2)}${index}=`);
    const many = await management.call(`/api/v1/costs/summary?${names.join('&')}&${'y'.repeat(1_000)}`);
    const { error } = (await many.json()) as { error: string };
    expect(many.status).toBe(400);
    expect(error).toMatch(/and 696 more: unknown parameters; there are none here$/);
    expect(error.length).toBeLessThan(300);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(error).not.toMatch(/[\u0000-\u001f]/);
  });
});

test.each(['limit=1&limit=2', 'limit=1&limit=1', 'limit=1&limit', 'limit=1&%6cimit=2'])(
  '?%s is refused: a parameter is given once',
  async (query) => {
    for (const path of ['/api/v1/events', '/api/v1/sessions', '/api/v1/audit', `/api/v1/agents/${agent}/events`])
      await management.refuse(await management.call(`${path}?${query}`), 400, 'limit: given more than once');
  },
);

describe('a range of time', () => {
  test('may be relative to now or to the UTC day', async () => {
    await using own = await startTestManagement();
    const id = await seedAgent(own.database, 'relative');
    const hour = 3_600_000;
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const [, , recent] = await seedEvents(own.database, [
      makeEvent(id, 'ses_relative', ago(10 * 24 * hour)),
      makeEvent(id, 'ses_relative', ago(3 * hour)),
      makeEvent(id, 'ses_relative', ago(hour / 2)),
    ]);
    const count = async (query: string) => (await own.read(`/api/v1/events?${query}`, eventListSchema)).length;
    expect(await count('from=7d')).toBe(2);
    expect(await count('from=60m')).toBe(1);
    expect(await count('to=1h&from=24h')).toBe(1);
    expect(await count('recorded_after=1h')).toBe(3);
    expect(await count('to=yesterday')).toBe(1);

    // A page's link names times that do not move on while pages are read.
    const response = await own.call('/api/v1/events?from=24h&limit=1');
    expect(eventListSchema.parse(await response.json())).toMatchObject([{ id: recent?.id }]);
    const [, next = ''] = /^<([^>]+)>/.exec(response.headers.get('link') ?? '') ?? [];
    const from = new URL(next, own.service.url).searchParams.get('from') ?? '';
    expect(new Date(from).toISOString()).toBe(from);
    expect(await own.read(next, eventListSchema)).toHaveLength(1);
  });

  test.each([
    'from=2026-11-21&to=2026-11-20',
    'from=2026-11-20&to=2026-11-20',
    'from=today&to=yesterday',
    'from=1h&to=24h',
    'from=9999-12-31&to=0001-01-01',
  ])('?%s holds nothing and is refused', async (range) => {
    for (const path of ['events', 'sessions', 'audit', 'costs/unrecorded', 'costs/doubtful', `agents/${agent}/events`])
      await management.refuse(await management.call(`/api/v1/${path}?${range}`), 400, 'from: must be earlier than to');
  });

  test.each(['now', '1w', '7', '-7d', '0h', '2026-11-20T09:30', '1763622600', '', '%00', 'x'.repeat(9_000)])(
    'from %s is refused, saying what is understood',
    async (time) => {
      for (const path of ['events', 'sessions', 'audit', 'costs/unrecorded'])
        for (const name of ['from', 'to']) {
          const response = await management.call(`/api/v1/${path}?${name}=${time}`);
          await management.refuse(
            response,
            400,
            new RegExp(`^${name}: must be a time such as .*today or yesterday.* 7d$`),
          );
        }
    },
  );
});
