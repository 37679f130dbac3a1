import { LRUCache } from 'lru-cache';
import { expect, test } from 'vitest';
import type { Head } from '../journey.ts';
import type { Provider } from '../settings/provider.ts';
import { ProviderKey } from '../settings/provider-key.ts';
import { changeKey, chooseEndpoint, noteMoved } from './endpoints.ts';

function makeProvider(weights: Record<string, number>): Provider {
  const endpoints = Object.entries(weights).map(
    ([endpoint, weight]) =>
      ({
        ...{
          id: 'azure',
          api: 'openai',
          endpoint,
          weight,
          endpoints: [],
          apiKey: new ProviderKey('test', { value: `key-${endpoint}` }),
        },
        baseUrl: new URL(`https://${endpoint}.openai.azure.com`),
      }) as unknown as Provider,
  );
  for (const each of endpoints) each.endpoints = endpoints;
  return endpoints[0] as Provider;
}

const choose = (provider: Provider, sessionId: string, movedSessions = new LRUCache<string, string>({ max: 10 })) => {
  const head = { provider, next: null, headers: {}, operation: null, path: '/v1/x' } as unknown as Head;
  chooseEndpoint({ movedSessions }, head, sessionId);
  return { head, first: head.provider.endpoint, next: head.next?.endpoint };
};

const sessions = Array.from({ length: 4_000 }, (_, index) => `ses_${index}`);
const count = (provider: Provider) => {
  const chosen = sessions.map((session) => choose(provider, session).first);
  return Object.fromEntries(
    Object.entries(Object.groupBy(chosen, String)).map(([name, { length } = []]) => [name, length]),
  );
};

test('sessions are shared out by weight, and one that stands by serves none', () => {
  const { a = 0, b = 0, c } = count(makeProvider({ a: 3, b: 1, c: 0 })) as Record<string, number>;
  expect(c).toBeUndefined();
  expect(a / b).toBeGreaterThan(2.5);
  expect(a / b).toBeLessThan(3.5);
});

test('a session has the same endpoint in each process, and keeps it if another is added elsewhere', () => {
  const [two, three] = [makeProvider({ a: 1, b: 1 }), makeProvider({ b: 1, a: 1, c: 1 })];
  for (const session of sessions.slice(0, 200)) {
    const before = choose(two, session);
    const after = choose(three, session);
    expect([before.first, 'c']).toContain(after.first);
    expect(new Set([before.first, before.next])).toEqual(new Set(['a', 'b']));
  }
});

test('a session that moved stays where it moved to, and goes back to no other provider', () => {
  const provider = makeProvider({ a: 1, b: 0 });
  const moved = new LRUCache<string, string>({ max: 10 });
  const { head } = choose(provider, 'ses_1', moved);
  noteMoved({ movedSessions: moved }, { provider: head.next as Provider }, 'ses_1');
  expect(choose(provider, 'ses_1', moved)).toMatchObject({ first: 'b', next: 'a' });
  expect(choose(provider, 'ses_2', moved)).toMatchObject({ first: 'a', next: 'b' });
  expect(choose({ ...provider, id: 'other' }, 'ses_1', moved)).toMatchObject({ first: 'a' });
});

test('each endpoint gets its own key, in the header that it reads, and nothing of the other', () => {
  const [azure, other] = makeProvider({ a: 1, b: 1 }).endpoints as [Provider, Provider];
  const plain = { ...other, baseUrl: new URL('https://llm.example') };
  const place = { operation: null, path: '/v1/x' };
  const headers = { Accept: 'x', 'api-key': 'key-a' };
  expect(changeKey(headers, azure, other, place)).toEqual({ Accept: 'x', 'api-key': 'key-b' });
  const changed = changeKey(headers, azure, plain, place);
  expect(Object.keys(changed).map((name) => name.toLowerCase())).toEqual(['accept', 'authorization']);
  expect(changeKey({ Accept: 'x' }, { ...azure, apiKey: null }, { ...plain, apiKey: null }, place)).toEqual({
    Accept: 'x',
  });
});
