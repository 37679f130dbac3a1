import { lookup } from 'node:dns';
import { afterAll, expect, test } from 'vitest';
import { makeTarget, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const inside = await startReceiver();
const allowed = await startReceiver({
  '/to-inside': (response) => void response.writeHead(307, { location: `${inside.url}/secrets` }).end(),
});
afterAll(() => Promise.all([inside, allowed].map((each) => each[Symbol.asyncDispose]())));

const port = new URL(inside.url).port;
/** Addresses of names that are nobody's, at each look-up in turn; other names are looked up. */
const addresses: Record<string, string[][]> = {
  'metadata.test': [['169.254.169.254']],
  'half.test': [['2606:4700::6812:6c0', '127.0.0.1']],
  'rebinds.test': [[], ['127.0.0.1']],
};
const looked: string[] = [];
const look = ((name: string, options: object, done: (error: Error | null, addresses: object[]) => void) => {
  const answers = addresses[name];
  if (answers === undefined) return lookup(name, options, done as never);
  looked.push(name);
  const at = looked.filter((each) => each === name).length - 1;
  const answer = answers[Math.min(at, answers.length - 1)] ?? [];
  const found = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return done(found.length > 0 ? null : new Error(`getaddrinfo ENOTFOUND ${name}`), found);
}) as typeof lookup;

const management = shareTestManagement({ notificationAllowedHosts: [allowed.host], notifier: { lookup: look } });

/** Tests a target, and says what came of it. */
async function ask(url: string, times = 1) {
  const { publicId } = await makeTarget(management, { name: `t${Math.random()}`.slice(0, 20), kind: 'slack', url });
  let tested: unknown;
  for (let each = 0; each < times; each += 1) {
    const answer = await management.call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' });
    tested = await answer.json();
  }
  return tested;
}

test.each([
  ['an address', `https://127.0.0.1:${port}`, '127.0.0.1'],
  ['an address as a number', `https://2130706433:${port}`, '127.0.0.1'],
  ['an address in hex', `https://0x7f.1:${port}`, '127.0.0.1'],
  ['IPv6', `https://[::1]:${port}`, '::1'],
  ['IPv4 within IPv6', `https://[::ffff:127.0.0.1]:${port}`, '::ffff:7f00:1'],
  ['cloud metadata', 'https://169.254.169.254/latest/meta-data', '169.254.169.254'],
  ['a name of metadata', 'https://metadata.test/', '169.254.169.254'],
  ['a name with a private address among its own', `https://half.test:${port}`, '127.0.0.1'],
])('nothing is sent to %s that is private', async (_what, url, address) => {
  const error = `address is private: ${address}: NOTIFICATION_ALLOWED_HOSTS does not name its host`;
  expect(await ask(url)).toEqual({ delivered: false, status: null, error });
  expect(inside.connections()).toBe(0);
});

test('nor to a name of this machine, nor to one that comes to mean it', async () => {
  expect(await ask(`https://localhost:${port}`)).toMatchObject({
    error: expect.stringMatching(/^address is private: /),
  });
  expect(await ask(`https://rebinds.test:${port}`, 2)).toMatchObject({
    error: expect.stringMatching(/^address is private: 127.0.0.1/),
  });
  // Once for each connection: there is no time between to change.
  expect(looked.filter((name) => name === 'rebinds.test')).toHaveLength(2);
  expect(inside.connections()).toBe(0);
});

test('nor by a redirect of a host that is allowed', async () => {
  expect(await ask(`${allowed.url}/to-inside`)).toEqual({
    ...{ delivered: false, status: 307, error: 'HTTP 307: redirects are not followed' },
  });
  expect(inside.connections()).toBe(0);
  expect(allowed.connections()).toBe(1);
});

test('a target without TLS is not made, unless a setting names its host', async () => {
  const target = { name: 'plain', kind: 'webhook', url: inside.url };
  const error = `url: must have https, unless NOTIFICATION_ALLOWED_HOSTS has ${inside.host}`;
  const answer = await management.send('POST', '/api/v1/notification-targets', target);
  expect(await answer.json()).toEqual({ error });
});
