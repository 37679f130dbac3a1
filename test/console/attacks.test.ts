import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { type ConsolePage, type ConsoleSystem, openConsole } from './support/open-console.ts';

let console: ConsoleSystem;
let hostile: { port: number; cookies: string[]; stop(): void };

async function startHostile() {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><body></body>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, cookies, stop };
}

const readPause = async () => (await console.system.api<{ paused: boolean }>('/api/v1/pause')).paused;

const forge = (page: Page, target: string) =>
  page.evaluate<string[]>(`(async () => {
    const read = [];
    const body = '{"paused":true}';
    const tries = [
      { method: 'PUT', body, headers: { 'content-type': 'application/json' } },
      { method: 'PUT', body, headers: { 'content-type': 'text/plain' } },
      { method: 'POST', body, mode: 'no-cors' },
      { method: 'GET' },
    ];
    for (const path of ['/api/v1/pause', '/console/session', '/api/v1/console/links'])
      for (const init of tries)
        await fetch('${target}' + path, { credentials: 'include', ...init })
          .then(async (answer) => (answer.type === 'opaque' ? '' : await answer.text()), () => '')
          .then((text) => text && read.push(path + ' ' + text));
    const frame = document.createElement('iframe');
    frame.name = 'answers';
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action: '${target}/console/session', target: 'answers', enctype: 'text/plain' });
    document.body.append(frame, form);
    const loaded = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 2000); });
    form.submit();
    await loaded;
    return read;
  })()`);

inBrowser('somebody who is signed in', () => {
  let victim: ConsolePage;

  beforeAll(async () => {
    hostile = await startHostile();
    console = await openConsole();
    victim = await console.open('/');
  });
  afterAll(async () => {
    await console?.[Symbol.asyncDispose]();
    hostile?.stop();
  });

  test.each(['evil.test', 'localhost', '127.0.0.1'])(
    'opens a page of an attacker on %s, which changes nothing and reads nothing',
    async (host) => {
      const page = await victim.context.newPage();
      await page.goto(`http://${host}:${hostile.port}/`);
      expect(await forge(page, console.url)).toEqual([]);
      expect(await readPause()).toBe(false);
      await page.close();
    },
  );

  test('whose name server is the attacker’s (DNS rebinding) is refused', async () => {
    const { port } = new URL(console.url);
    const page = await victim.context.newPage();
    await page.route(`http://rebound.test:${port}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<body></body>' }),
    );
    await page.goto(`http://rebound.test:${port}/`);
    const answers = await forge(page, '');
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(answer).toContain('host not allowed');
    expect(await readPause()).toBe(false);
    await page.close();
  });

  test('sees the console in no frame of another page, nor of its own', async () => {
    for (const url of [`http://evil.test:${hostile.port}/`, `http://127.0.0.1:${hostile.port}/`]) {
      const page = await victim.context.newPage();
      await page.goto(url);
      const refused = page.waitForEvent('console', (message) =>
        /frame-ancestors|refused to connect/i.test(message.text()),
      );
      await page.evaluate(
        `document.body.innerHTML = '<iframe src="${console.url}/agents" style="opacity: 0"></iframe>'`,
      );
      await refused;
      const frame = page.frames()[1];
      expect((await frame?.locator('h1').count()) ?? 0).toBe(0);
      await page.close();
    }
  });

  test('is left alone by a window that the attacker has opened', async () => {
    const page = await victim.context.newPage();
    await page.goto(`http://evil.test:${hostile.port}/`);
    const [opened] = await Promise.all([
      victim.context.waitForEvent('page'),
      page.evaluate(`window.own = window.open('${console.url}/agents')`),
    ]);
    await opened.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await page.evaluate('window.own.closed')).toBe(true);
    expect(await opened.evaluate('window.opener')).toBeNull();
    await opened.close();
    await page.close();
  });
});
