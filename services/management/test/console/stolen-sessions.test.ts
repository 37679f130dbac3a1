import { beforeAll, describe, expect, test } from 'vitest';
import { bootstrapKey, shareTestManagement } from '../support/start-test-management.ts';
import { BrowserCalls } from './browser-calls.ts';

const management = shareTestManagement();
let browser: BrowserCalls;
let port: string;
beforeAll(async () => {
  ({ port } = new URL(management.service.url));
  browser = new BrowserCalls(management);
  await browser.signIn({ api_key: bootstrapKey });
});

type Headers = Record<string, string | string[] | undefined>;

/** Whether a request that changes something, and one that reads, get through with these headers. */
async function tryWith(headers: Headers): Promise<number[]> {
  const change = { method: 'PUT', body: { paused: false }, headers };
  const answers = [await browser.call('/api/v1/pause', change), await browser.call('/api/v1/agents', { headers })];
  return answers.map(({ status }) => status);
}

test('with its cookie a session gets through', async () => {
  expect(await tryWith({})).toEqual([200, 200]);
});

describe('a session is no use', () => {
  test.each<[string, () => Headers]>([
    ['without the cookie', () => ({ cookie: undefined })],
    [
      'with the token as bearer',
      () => ({ authorization: `Bearer ${browser.cookie?.split('=')[1]}`, cookie: undefined }),
    ],
    ['beside a wrong key', () => ({ authorization: 'Bearer agm_wrong' })],
    ['under the name of the cookie with TLS', () => ({ cookie: `__Host-${browser.cookie}` })],
  ])('%s', async (_how, headers) => {
    expect(await tryWith(headers())).toEqual([401, 401]);
  });

  test.each<[string, () => Headers, number[]]>([
    ['from another site', () => ({ 'sec-fetch-site': 'cross-site', origin: 'http://evil.test' }), [403, 403]],
    [
      'from another port of this host',
      () => ({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }),
      [403, 403],
    ],
    ['from an address that somebody typed', () => ({ 'sec-fetch-site': 'none', origin: undefined }), [401, 401]],
    ['from a page without origin', () => ({ origin: 'null', 'sec-fetch-site': undefined }), [403, 403]],
    ['from an extension', () => ({ origin: 'chrome-extension://abc', 'sec-fetch-site': 'none' }), [403, 403]],
    ['for a change whose origin is not said', () => ({ origin: undefined }), [401, 200]],
    [
      'under a name that was made to lead here',
      () => ({ host: `evil.test:${port}`, origin: `http://evil.test:${port}` }),
      [421, 421],
    ],
    [
      'under another of our own names than its origin',
      () => ({ host: `localhost:${port}`, 'sec-fetch-site': undefined }),
      [403, 200],
    ],
  ])('%s', async (_how, headers, statuses) => {
    expect(await tryWith(headers())).toEqual(statuses);
  });
});

test('worthless cookies that another server of this host has set do not shut a person out', async () => {
  const worthless = Array.from({ length: 3 }, (_, at) => `agp_console=${String(at).repeat(43)}`);
  expect(await tryWith({ cookie: [...worthless, browser.cookie].join('; ') })).toEqual([200, 200]);
});

test.each<[string, Headers, number]>([
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'http://evil.test' }, 403],
  ['nowhere that it says', { origin: undefined }, 403],
  ['a name that leads here', { host: 'evil.test' }, 421],
])('nobody is signed in from %s', async (_where, headers, status) => {
  const victim = new BrowserCalls(management);
  const answer = await victim.signIn({ api_key: bootstrapKey }, { headers });
  expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
  const out = await browser.call('/console/session', { method: 'DELETE', headers });
  expect(out.status).toBe(status);
});
