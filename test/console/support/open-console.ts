import { longestWaitMs } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type System, type SystemOptions, startSystem } from '../../system/start-system.ts';
import { borrowBrowser } from '../../wire/browsers/start-browser.ts';
import { goTo } from './go-to.ts';

/** A page of the console, and what went wrong in it. */
export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Errors of its scripts, and whatever its policy refused. A test expects none, or says which. */
  faults: string[];
}

export interface OpenOptions extends BrowserContextOptions {
  /** The key to sign in with: one with every scope if not given; null opens the page signed out. */
  key?: string | null;
}

/** The product in process on throw-away data, and a browser. Shared by the tests of a file. */
export interface ConsoleSystem extends AsyncDisposable {
  system: System;
  /** What stands behind `openai`. */
  provider: FakeProvider;
  url: string;
  /** Opens a path in a browser profile of its own. */
  open(path?: string, options?: OpenOptions): Promise<ConsolePage>;
  /** Opens a path in another tab that all tests of the file share, signed out. */
  arrive(path: string): Promise<ConsolePage>;
  /** Shows a path in a tab that all tests of the file share, signed in with every scope; to `open` one costs ten times as much. */
  show(path: string): Promise<ConsolePage>;
  /**
   * Sends a request through the proxy as an agent, and reads its answer. Sends again if the machine is too busy to read the agent's
   * status in time, as SDKs do.
   *
   * @param fields of the body, and headers
   */
  send(agent: string, fields?: object, headers?: Record<string, string>): Promise<Response>;
  /** Makes a key, and gives its secret. */
  makeKey(scopes: readonly string[], name?: string): Promise<string>;
  /** The address of a one-time link, for the holder of a key. */
  makeLink(key?: string): Promise<string>;
}

/** Says yes if a page asks whether its one-time link is to sign in. */
export const acceptLink = (page: Page) => page.getByRole('button', { name: 'Sign in with the link' }).click();

/** Answers that a page may get and that are no fault of its own: nobody is signed in any more, or a server is busy or restarts. */
const expected = /Failed to load resource: (?:the server responded with a status of (?:401|503)|net::ERR_)/;

function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
  });
  return faults;
}

/** Signs in as the page does, which costs no browser. */
export async function signIn(
  url: string,
  api_key: string,
): Promise<NonNullable<BrowserContextOptions['storageState']>> {
  const answer = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ api_key }),
  });
  const [, name = '', value = ''] = /^(\w+)=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  if (!answer.ok) throw new Error(`signing in: ${answer.status} ${await answer.text()}`);
  const cookie = { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false };
  return { cookies: [{ ...cookie, sameSite: 'Strict' }], origins: [] };
}

/**
 * Starts services and a browser. The page is built by the run's global setup.
 *
 * @param start starts the services: within this process if not given
 */
export async function openConsole(
  options: SystemOptions = {},
  start: (options: SystemOptions) => Promise<System> = startSystem,
): Promise<ConsoleSystem> {
  await using opened = new AsyncDisposableStack();
  const { browser } = opened.use(await borrowBrowser());
  const provider = opened.use(await startFakeProvider(answerCanned()));
  const environment = { PROVIDER_OPENAI_URL: provider.url, ...options.environment };
  const system = opened.use(await start({ ...options, environment }));
  const { url } = system.management;

  async function makeLink(key: string = system.apiKey): Promise<string> {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/api/v1/console/links`, { method: 'POST', headers });
    return url + ((await answer.json()) as { path: string }).path;
  }

  async function open(path = '/', { key = system.apiKey, ...contextOptions }: OpenOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({
      locale: 'en-US',
      viewport: { width: 1280, height: 900 },
      ...(key !== null && { storageState: await signIn(url, key) }),
      ...contextOptions,
    });
    context.setDefaultTimeout(longestWaitMs);
    const page = await context.newPage();
    const faults = watchFaults(page);
    await page.goto(url + path);
    if (key !== null) await page.getByRole('button', { name: /^Account: / }).waitFor();
    return { page, context, faults };
  }
  let tab: ConsolePage | undefined;
  let stranger: ConsolePage | undefined;

  const running = opened.move();
  return {
    system,
    provider,
    url,
    makeLink,
    open,
    async arrive(path) {
      if (stranger === undefined) stranger = await open(path, { key: null });
      else {
        await stranger.context.clearCookies();
        await stranger.page.goto(url + path);
      }
      return stranger;
    },
    async show(path) {
      if (tab === undefined) tab = await open(path);
      else await goTo(tab.page, path);
      return tab;
    },
    async send(agent, fields = {}, headers = {}) {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], ...fields };
      for (;;) {
        const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-agent-name': agent, ...headers },
          body: JSON.stringify(body),
        });
        await answer.clone().text();
        if (answer.headers.get('x-error-code') !== 'status_unavailable') return answer;
      }
    },
    async makeKey(scopes, name = scopes.join('+')) {
      const body = JSON.stringify({ name, scopes });
      return (await system.api<{ secret: string }>('/api/v1/keys', { method: 'POST', body })).secret;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
