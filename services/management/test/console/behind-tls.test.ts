import { expect, test } from 'vitest';
import { bootstrapKey, shareTestManagement } from '../support/start-test-management.ts';
import { BrowserCalls } from './browser-calls.ts';

const management = shareTestManagement({ consoleOrigin: 'https://agp.example' });

function openAt(host: string, scheme: string): BrowserCalls {
  const browser = new BrowserCalls(management, host);
  browser.scheme = scheme;
  return browser;
}

test('at CONSOLE_ORIGIN the cookie is sent over TLS alone, and no other host can set it', async () => {
  const browser = openAt('agp.example', 'https');
  const answer = await browser.signIn({ api_key: bootstrapKey });
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-agp_console=ags_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
  ]);
  expect((await browser.call('/api/v1/agents')).status).toBe(200);
  expect((await browser.call('/api/v1/pause', { method: 'PUT', body: { paused: false } })).status).toBe(200);
  const plain = { cookie: browser.cookie?.replace('__Host-', '') };
  expect((await browser.call('/api/v1/agents', { headers: plain })).status).toBe(401);
  expect((await browser.call('/console/session', { method: 'DELETE' })).status).toBe(204);
});

test('a page of the same name without TLS signs nobody in, and uses no session', async () => {
  const stranger = openAt('agp.example', 'http');
  expect((await stranger.signIn({ api_key: bootstrapKey })).status).toBe(403);
  const browser = openAt('agp.example', 'https');
  await browser.signIn({ api_key: bootstrapKey });
  browser.scheme = 'http';
  expect((await browser.call('/api/v1/pause', { method: 'PUT', body: { paused: false } })).status).toBe(401);
});

test("this machine's own names go on working, for whoever forwards a port", async () => {
  const browser = openAt('localhost:8081', 'http');
  expect((await browser.signIn({ api_key: bootstrapKey })).headers['set-cookie']).toEqual([
    expect.stringMatching(/^agp_console=/),
  ]);
  expect((await browser.call('/api/v1/agents')).status).toBe(200);
});

test.each(['agp.example.evil.test', 'evil.test', 'agp.example:8443'])('nobody is signed in at %s', async (host) => {
  const answer = await openAt(host, 'https').signIn({ api_key: bootstrapKey });
  expect([host.includes('evil') ? 421 : 403, undefined]).toEqual([answer.status, answer.headers['set-cookie']]);
});
