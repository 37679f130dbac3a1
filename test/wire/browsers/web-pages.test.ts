import { readFileSync } from 'node:fs';
import { longestWaitMs } from '@agp/testing';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMetrics } from '../../system/read-metric.ts';
import { type RunningService, type System, startSystem } from '../../system/start-system.ts';
import { borrowBrowser, hasBrowser } from './start-browser.ts';

interface Targets {
  post: string;
  get: string;
}

const script = readFileSync(new URL('./hostile-page.mjs', import.meta.url), 'utf8').replace('export ', '');

/** Tries everything from a page. Gives each answer that it could read, by how it was asked for. */
const attack = (page: Page, targets: Targets[]) =>
  page.evaluate<string[]>(
    `${script}; Promise.all(${JSON.stringify(targets)}.map(attackFromPage)).then((all) => all.flat())`,
  );

const isMissing = !hasBrowser() && process.env.CI === undefined;

describe.skipIf(isMissing)(isMissing ? 'a web page (skipped: there is no Chromium)' : 'a web page', () => {
  let provider: FakeProvider;
  let hostile: FakeProvider;
  let system: System;
  let allowing: RunningService;
  let borrowed: Awaited<ReturnType<typeof borrowBrowser>>;
  let context: BrowserContext;
  let page: Page;
  const portOf = (url: string) => new URL(url).port;

  beforeAll(async () => {
    // As free as a provider can be with what pages may read.
    provider = await startFakeProvider(() => ({
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'x-answer': 'yes' },
      body: { model: 'gpt-4o', choices: [], secret: 'the answer' },
    }));
    hostile = await startFakeProvider(() => ({ headers: { 'content-type': 'text/html' }, body: '<body></body>' }));
    const key = { PROVIDER_OPENAI_URL: provider.url, PROVIDER_OPENAI_API_KEY: 'sk-fake-company' };
    system = await startSystem({ environment: key });
    allowing = await system.start('proxy', { ALLOWED_ORIGINS: `http://evil.test:${portOf(hostile.url)}` });
    borrowed = await borrowBrowser();
    context = await borrowed.browser.newContext();
    context.setDefaultTimeout(longestWaitMs);
    page = await context.newPage();
  });
  afterAll(async () => {
    await borrowed?.[Symbol.asyncDispose]();
    await system?.[Symbol.asyncDispose]();
    await Promise.all([provider?.stop(), hostile?.stop()]);
  });

  /** What is worth an attack on every port, under a name that leads there. */
  function listTargets(host: string): Targets[] {
    const [proxy, management] = [system.proxies[0] as RunningService, system.management];
    const at = (url: string, path: string) => `http://${host}:${portOf(url)}${path}`;
    return [
      { post: at(proxy.url, '/openai/v1/chat/completions'), get: at(proxy.url, '/openai/v1/models') },
      { post: at(management.url, '/api/v1/pause'), get: at(management.url, '/openapi.json') },
      ...[proxy, management, system.writers[0] as RunningService].map(({ opsUrl }) => ({
        post: at(opsUrl, '/metrics'),
        get: at(opsUrl, '/metrics'),
      })),
    ];
  }

  test.each(['evil.test', 'localhost', '127.0.0.1'])(
    'of %s reaches no provider through any port, and reads nothing',
    async (host) => {
      await page.goto(`http://${host}:${portOf(hostile.url)}/`);
      expect(await attack(page, listTargets('127.0.0.1'))).toEqual([]);
      expect(provider.requests).toEqual([]);
    },
  );

  test('whose name was made to point to this machine reads refusals and nothing else', async () => {
    const reboundTo = async (targets: Targets) => {
      const { origin } = new URL(targets.get);
      const rebound = await context.newPage();
      // Comes from the attacker, before the name leads here.
      await rebound.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<body></body>' }));
      await rebound.goto(`${origin}/`);
      const readings = await attack(rebound, [targets]);
      await rebound.close();
      return readings;
    };
    for (const readings of await Promise.all(listTargets('rebound.test').map(reboundTo))) {
      expect(readings.length).toBeGreaterThan(0);
      for (const reading of readings)
        expect(reading).toMatch(/: (?:421 \{"error":(?:\{"message":)?"(?:governance proxy: )?host not allowed|405 )/);
    }
    expect(provider.requests).toEqual([]);
  });

  test('that a person is led to by a link is shown, where it is one of ours, and what is none is not', async () => {
    const follow = async (url: string, seen: string) => {
      await page.goto(`http://evil.test:${portOf(hostile.url)}/`);
      const arrived = page.waitForResponse((response) => response.url() === url);
      await page.evaluate(`location.href = ${JSON.stringify(url)}`);
      const answer = await arrived;
      await page.waitForSelector(seen);
      return answer.status();
    };
    expect(await follow(`${system.management.url}/docs`, '#swagger-ui .info')).toBe(200);
    expect(await follow(`${system.proxies[0]?.opsUrl}/metrics`, 'text=agp_ready 1')).toBe(200);
    expect(await follow(`${system.proxies[0]?.url}/openai/v1/models`, 'text=cross-site request')).toBe(403);
    expect(provider.requests).toEqual([]);
  });

  test('of an allowed origin asks and reads, and one of another origin still does not', async () => {
    const call = async (url: string) => {
      const answer = await fetch(`${url}/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-agent-name': 'page' },
        body: '{"model":"gpt-4o"}',
      });
      return [
        answer.status,
        answer.headers.get('x-answer'),
        answer.headers.get('x-agent-id')?.slice(0, 4),
        await answer.json(),
      ];
    };
    await page.goto(`http://evil.test:${portOf(hostile.url)}/`);
    expect(await page.evaluate(call, allowing.url)).toEqual([
      200,
      'yes',
      'agt_',
      { model: 'gpt-4o', choices: [], secret: 'the answer' },
    ]);
    expect(provider.requests).toHaveLength(1);
    await page.goto(`http://127.0.0.1:${portOf(hostile.url)}/`);
    await expect(page.evaluate(call, allowing.url)).rejects.toThrow('Failed to fetch');
    expect(provider.requests).toHaveLength(1);
  });

  test('is counted where it was refused', async () => {
    const metrics = await readMetrics(system.proxies[0]);
    for (const code of ['cross_site_request', 'foreign_host'])
      expect(metrics).toMatch(new RegExp(`agp_proxy_refusals_total\\{.*code="${code}".*\\} [1-9]`));
  });
});
