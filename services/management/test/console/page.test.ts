import { expect, test } from 'vitest';
import { readConsoleFiles } from '../../src/console/console-files.ts';
import { shareTestManagement } from '../support/start-test-management.ts';
import { send } from './browser-calls.ts';

const management = shareTestManagement();

const asBrowser = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip' };
const get = (path: string, headers: Record<string, string> = asBrowser) => send(management, { path, headers });

test('the page may run and load what its own files hold, and nothing else', async () => {
  const { headers, text } = await get('/agents/agt_x?y');
  const policy = String(headers['content-security-policy']);
  const nonce = /'nonce-([^']{20,})'/.exec(policy)?.[1];
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
  expect(text).toContain(`nonce="${nonce}"`);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(text).not.toMatch(/(?:src|href)="(?!\/)/);
  expect((await get('/agents')).headers['content-security-policy']).not.toBe(policy);
  expect((await get('/?from=7d')).status).toBe(200);
});

test('its files may be kept for ever, since their names hold their digests, and come compressed to those that take it', async () => {
  const [script = ''] = /\/assets\/[^"]+\.js/.exec((await get('/')).text) ?? [];
  const packed = await fetch(`${management.service.url}${script}`, { headers: { 'accept-encoding': 'gzip' } });
  expect(Object.fromEntries(packed.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
    vary: 'Accept-Encoding',
  });
  const plain = await get(script, {});
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.text).toBe(await packed.text());
  const head = await send(management, { method: 'HEAD', path: script });
  expect([head.status, head.text]).toEqual([200, '']);
  // A module of our page is fetched by its own origin; other sites get nothing to measure.
  expect(plain.headers['cross-origin-resource-policy']).toBe('same-origin');
});

test.each([
  ['/assets/nothing.js', 404],
  ['/assets/../index.html', 404],
  ['/assets/%2e%2e/index.html', 404],
  ['/assets/..%2f.built-from', 404],
  ['/console/nothing', 404],
  ['/api/v1/nothing', 401],
  ['/docs/nothing', 404],
])('%s is no page, even to a browser', async (path, status) => {
  const answer = await get(path);
  expect([answer.status, answer.text.includes('<div')]).toEqual([status, false]);
});

test('what is no browser is told that a path is unknown', async () => {
  expect((await get('/agents', { accept: '*/*' })).status).toBe(404);
  expect((await send(management, { method: 'POST', path: '/agents', headers: asBrowser })).status).toBe(404);
});

test('a link from another site opens a page, and nothing that answers with data', async () => {
  const visit = {
    ...asBrowser,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  expect((await get('/agents', visit)).status).toBe(200);
  expect((await get('/console/session', visit)).status).toBe(403);
  expect((await get('/api/v1/agents', visit)).status).toBe(403);
  expect((await get('/agents', { ...visit, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
});

test('where it is not built, the page says how to build it', () => {
  let sent = '';
  const response = { type: () => response, send: (text: string) => (sent = text) };
  readConsoleFiles('/nowhere').sendPage(response as never);
  expect(sent).toContain('npm run build:console');
});
