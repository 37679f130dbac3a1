import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readCaller } from './caller.ts';
import { parseQuery } from './query-parameters.ts';

const token = `agp_${'fake-token-'.repeat(4).slice(0, 43)}`;
const other = `agp_${'another-fake-'.repeat(4).slice(0, 43)}`;
const read = (headers: Record<string, string | string[]>, query = '') => {
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]));
  return readCaller({ headersDistinct } as unknown as IncomingMessage, null, parseQuery(query)).token;
};

test.each([
  [{ 'x-agent-token': token }, ''],
  [{ authorization: `Bearer ${token}` }, ''],
  [{ authorization: `bearer  ${token}` }, ''],
  [{ authorization: token }, ''],
  [{ 'x-api-key': token }, ''],
  [{ 'x-goog-api-key': token }, ''],
  [{ 'api-key': token }, ''],
  [{}, `?alt=sse&key=${token}`],
  [{ 'x-agent-token': token, authorization: 'Bearer sk-fake', 'x-api-key': token }, `?key=${token}`],
  [{ 'x-api-key': ['sk-ant-fake', token] }, ''],
])('%j%s', (headers, query) => {
  expect(read(headers, query)).toBe(token);
});

test.each([
  [{}, ''],
  [{ authorization: 'Bearer sk-fake', 'x-api-key': 'k', 'x-goog-api-key': '' }, '?key=AIza-fake'],
  [{ authorization: `Basic ${btoa(`x:${token}`)}` }, ''],
  [{ authorization: 'Bearer AGP_x' }, ''],
  [{ 'x-other': token }, `?other=${token}`],
])('%j%s holds none', (headers, query) => {
  expect(read(headers, query)).toBeNull();
});

test.each([
  [{ 'x-agent-token': token, 'x-api-key': other }, ''],
  [{ 'x-agent-token': [token, other] }, ''],
  [{ authorization: `Bearer ${token}` }, `?key=${other}`],
])('%j%s is refused: there are two', (headers, query) => {
  expect(() => read(headers, query)).toThrow(expect.objectContaining({ code: 'malformed_request' }));
});

test.each(['x-agent-token', 'authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])(
  '%s with a key of the management API is refused by name',
  (name) => {
    for (const value of ['agm_short', `Bearer agm_${token}`]) {
      expect(() => read({ [name]: value })).toThrow(
        expect.objectContaining({
          code: 'unauthorized_agent',
          message: expect.stringContaining(`${name} holds a key of the management API, which goes to no provider`),
        }),
      );
    }
    expect(() => read({}, '?key=agm_short')).toThrow(/^key holds a key of the management API/);
  },
);

test.each(['', 'sk-fake', 'Bearer agp_x', 'AGP_x'])('X-Agent-Token: %s is refused', (value) => {
  expect(() => read({ 'x-agent-token': value })).toThrow(expect.objectContaining({ code: 'unauthorized_agent' }));
});
