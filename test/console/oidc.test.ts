import { auditListSchema } from '@agp/core/contracts';
import { findFreePort } from '@agp/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { type ConsolePage, type ConsoleSystem, openConsole } from './support/open-console.ts';
import { type OidcProvider, startOidcProvider } from './support/start-oidc-provider.ts';

let provider: OidcProvider;
let console: ConsoleSystem;

const accounts = {
  ada: { name: 'ada@acme.test', roles: ['staff', 'agp-admins'] },
  otto: { name: 'otto', roles: 'on-call' },
  vera: { name: 'vera', roles: ['agp-admins finance', 'finance'] },
  sara: { name: 'sara', roles: ['search-leads', 'staff'] },
  eve: { name: '<img src=x onerror=alert(1)>', roles: ['staff', 'admin'] },
};

const account = (page: Page) => page.getByRole('button', { name: /^Account: / });

async function comeBackAs(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with your organisation' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signedIn(login: string, path = '/'): Promise<ConsolePage> {
  const opened = await console.arrive(path);
  await comeBackAs(opened.page, login);
  await account(opened.page).waitFor();
  return opened;
}

async function readAudit() {
  const entries = auditListSchema.parse(await console.system.api('/api/v1/audit?limit=100'));
  return entries.filter(({ actor }) => actor.kind === 'person');
}

const readSession = (page: Page) =>
  page.evaluate<Record<string, unknown>>("fetch('/console/session').then((answer) => answer.json())");

const post = (
  path: 'start' | 'session',
  headers: Record<string, string>,
  body: object | string = '{}',
  url = console.url,
) =>
  fetch(`${url}/console/oidc/${path}`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

inBrowser('signing in with an OpenID provider', () => {
  beforeAll(async () => {
    const port = await findFreePort();
    const origin = `http://127.0.0.1:${port}`;
    provider = await startOidcProvider({ redirectUri: `${origin}/console/oidc/callback`, accounts });
    console = await openConsole({
      environment: {
        MANAGEMENT_PORT: String(port),
        CONSOLE_ORIGIN: origin,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_SCOPE: 'openid profile roles',
        OIDC_ROLES: 'agp-admins=admin,on-call=operator,finance=viewer,search-leads=admin@team=search',
      },
    });
  });
  afterAll(async () => {
    await console?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
  });

  test.each([
    ['ada', 'admin', ['read', 'write', 'admin']],
    ['otto', 'operator', ['read', 'write']],
    ['vera', 'viewer', ['read']],
    ['sara', 'admin', ['read', 'write', 'admin'], { team: 'search' }],
  ] as const)(
    '%s comes back to the address that was asked for as %s, and what they change is in the audit log',
    async (login, role, scopes, match: object | null = null) => {
      const { page, context, faults } = await signedIn(login, '/agents?order=name');
      await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
      expect(new URL(page.url()).search).toBe('?order=name');
      const { name } = accounts[login];
      expect(await readSession(page)).toMatchObject({ signed_in: true, kind: 'oidc', name, role, scopes, match });
      const cookies = await context.cookies(console.url);
      expect(cookies.find((cookie) => cookie.name === 'agp_console')).toMatchObject({
        sameSite: 'Strict',
        httpOnly: true,
      });
      expect(cookies.filter((cookie) => cookie.name === 'agp_console_oidc')).toEqual([]);
      const [entry] = await readAudit();
      expect(entry).toMatchObject({
        action: 'console.sign_in',
        actor: { kind: 'person', id: login, name },
        after: { method: 'oidc', role, match, issuer: provider.issuer },
      });
      expect(faults).toEqual([]);
      if (role === 'viewer' || match !== null) return;
      const change = `fetch('/api/v1/pause', { method: 'PUT', body: '{"paused":false}',
        headers: { 'Content-Type': 'application/json' } }).then((answer) => answer.status)`;
      expect(await page.evaluate(change)).toBe(200);
      expect((await readAudit())[0]).toMatchObject({ action: 'pause.set', actor: { kind: 'person', id: login, name } });
    },
  );

  test('somebody without a role is told so, and is in the audit log, with a name that is shown as text', async () => {
    const { page, faults } = await console.arrive('/');
    await comeBackAs(page, 'eve');
    await page.getByText('no role was given to you here').waitFor();
    expect(await readSession(page)).toEqual({ signed_in: false, oidc: true });
    const [entry] = await readAudit();
    expect(entry).toMatchObject({ action: 'console.refused', actor: { id: 'eve', name: accounts.eve.name } });
    const admin = await console.show('/audit?action=all');
    await admin.page.getByText(accounts.eve.name).first().waitFor();
    expect([faults.splice(0), admin.faults]).toEqual([[expect.stringContaining('status of 403')], []]);
  });

  test('an answer of the provider works in the browser that asked, once', async () => {
    const { page, context } = await console.arrive('/');
    const answers: string[] = [];
    // Chromium may load the blocked page again by itself: the exchange is noted whenever it comes.
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/console/oidc/session')) sent.push(request.postData());
      if (request.url().includes('/console/oidc/callback?')) answers.push(request.url());
    });
    // Playwright's own routes do not see where redirects lead.
    const developer = await context.newCDPSession(page);
    await developer.send('Network.enable');
    await developer.send('Network.setBlockedURLs', { urls: ['*/console/oidc/callback*'] });
    await comeBackAs(page, 'ada');
    await expect.poll(() => answers.length).toBe(1);
    const [answer = ''] = answers;
    // Whoever is sent there is signed in as nobody.
    const victim = await console.open('/', { key: null });
    await victim.page.goto(answer);
    await victim.page.getByText('did not work').waitFor();
    expect(await readSession(victim.page)).toMatchObject({ signed_in: false });
    await developer.send('Network.setBlockedURLs', { urls: [] });
    await page.goto(answer);
    await account(page).waitFor();
    expect(sent).toHaveLength(1);
    expect((await post('session', {}, sent[0] ?? '')).status).toBe(403);
    await victim.context.close();
  });

  test('nobody gets the session of a person whose browser they send through a sign-in that they began', async () => {
    const { page, context } = await signedIn('ada');
    await page.evaluate("fetch('/console/session', { method: 'DELETE' })");
    const seen = (await readAudit())[0]?.id;
    // A program may say that it is our page.
    const begun = await post('start', {});
    expect([begun.status, begun.headers.getSetCookie()]).toEqual([200, []]);
    const { url, ...flow } = (await begun.json()) as { url: string; state: string };
    const asked: string[] = [];
    context.on('request', (request) => asked.push(request.url()));
    const lured = await context.newPage();
    // The provider knows ada, and asks her nothing.
    await lured.goto(url);
    await lured.getByText('did not work').waitFor();
    expect(asked.some((address) => address.includes('/console/oidc/callback?code='))).toBe(true);
    expect(asked.filter((address) => address.endsWith('/console/oidc/session'))).toEqual([]);
    // Nothing of it is left where anybody else may look.
    expect([
      lured.url(),
      (await context.cookies(console.url)).map(({ name }) => name).filter((name) => /agp/.test(name)),
    ]).toEqual([`${console.url}/`, []]);
    expect((await post('session', {}, { ...flow, answer: `state=${flow.state}` })).status).toBe(403);
    expect((await readAudit())[0]?.id).toBe(seen);
    await lured.close();
  });

  test.each<[string, Record<string, string>, number]>([
    ['a page of another port', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }, 403],
    ['a page of another site', { origin: 'http://evil.test' }, 403],
  ])('%s begins no sign-in, and ends none', async (_who, headers, status) => {
    const flow = { state: 's', nonce: 'n', verifier: 'v', answer: 'code=c&state=s' };
    expect((await post('start', headers)).status).toBe(status);
    const answer = await post('session', headers, flow);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, []]);
  });

  test('the way back leads to no other site', async () => {
    const { page } = await console.arrive('//evil.test/x');
    await comeBackAs(page, 'ada');
    await account(page).waitFor();
    expect(new URL(page.url()).origin).toBe(console.url);
    const other = await fetch(`${console.url}/console/oidc/callback?code=a%23b%0d%0aX:y//evil.test`, {
      redirect: 'manual',
    });
    expect(other.headers.get('location')).toBe('/sign-in#answer=code%3Da%2523b%250d%250aX%3Ay%2F%2Fevil.test');
  });

  test('a provider that is away is said so, and keys still sign in', async () => {
    const { issuer } = provider;
    const away = await console.system.start('management', {
      MANAGEMENT_PORT: '0',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      CONSOLE_ORIGIN: 'http://127.0.0.1:9',
    });
    expect(issuer).not.toBe('http://127.0.0.1:1');
    const refused = await post('start', { origin: away.url }, '{}', away.url);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'sign_in_not_here']);
    const session = await fetch(`${away.url}/console/session`);
    expect(await session.json()).toEqual({ signed_in: false, oidc: true });
    await away.stop();
  });
});
