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
  eve: { name: '<img src=x onerror=alert(1)>', roles: ['staff', 'admin'] },
};

const account = (page: Page) => page.getByRole('button', { name: /^Account: / });

/** Goes to the provider, and says there who it is. */
async function comeBackAs(page: Page, login: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with your organisation' }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signedIn(login: string, path = '/'): Promise<ConsolePage> {
  const opened = await console.open(path, { key: null });
  await comeBackAs(opened.page, login);
  await account(opened.page).waitFor();
  return opened;
}

/** The newest entries about people. */
async function readAudit() {
  const entries = auditListSchema.parse(await console.system.api('/api/v1/audit?limit=100'));
  return entries.filter(({ actor }) => actor.kind === 'person');
}

/** The session of a page, as its server knows it. */
const readSession = (page: Page) =>
  page.evaluate<Record<string, unknown>>(
    "fetch('/console/session', { headers: { 'X-Agp-Console': localStorage.getItem('agp-console-half') } }).then((answer) => answer.json())",
  );

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
        OIDC_ROLES: 'agp-admins=admin,on-call=operator,finance=viewer',
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
  ] as const)('%s comes back to the address that was asked for as %s', async (login, role, scopes) => {
    const { page, context, faults } = await signedIn(login, '/agents?order=name');
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?order=name');
    const { name } = accounts[login];
    expect(await readSession(page)).toMatchObject({ signed_in: true, kind: 'oidc', name, role, scopes });
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
      after: { method: 'oidc', role, issuer: provider.issuer },
    });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('what a person changes is in the audit log under their name', async () => {
    const { page, context } = await signedIn('otto');
    const half = "localStorage.getItem('agp-console-half')";
    const change = `fetch('/api/v1/pause', { method: 'PUT', body: '{"paused":false}',
      headers: { 'X-Agp-Console': ${half}, 'Content-Type': 'application/json' } }).then((answer) => answer.status)`;
    expect(await page.evaluate(change)).toBe(200);
    const [entry] = await readAudit();
    expect(entry).toMatchObject({ action: 'pause.set', actor: { kind: 'person', id: 'otto', name: 'otto' } });
    await context.close();
  });

  test('somebody without a role is told so, and is in the audit log, with a name that is shown as text', async () => {
    const { page, context, faults } = await console.open('/', { key: null });
    await comeBackAs(page, 'eve');
    await page.getByText('no role was given to you here').waitFor();
    expect(await readSession(page)).toEqual({ signed_in: false, oidc: true });
    const [entry] = await readAudit();
    expect(entry).toMatchObject({ action: 'console.refused', actor: { id: 'eve', name: accounts.eve.name } });
    const admin = await console.open('/audit');
    await admin.page.getByText(accounts.eve.name).first().waitFor();
    expect([faults, admin.faults]).toEqual([[], []]);
    await Promise.all([context.close(), admin.context.close()]);
  });

  test('an answer of the provider works in the browser that asked, once', async () => {
    const { page, context } = await console.open('/', { key: null });
    const answers: string[] = [];
    page.on('request', (request) => {
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
    const again = await context.newPage();
    await again.goto(answer);
    await again.waitForURL(/error=failed/);
    await Promise.all([context.close(), victim.context.close()]);
  });

  test('the way back leads to no other site', async () => {
    const digest = 'a'.repeat(64);
    const hidden = ['/.//evil.test', '/x/..//evil.test', '/%2e//evil.test', '/./\\evil.test'];
    const plain = ['//evil.test', '/\\evil.test', 'https://evil.test', '/api/v1/events', '/%0d%0aX: y', ''];
    for (const path of [...hidden, ...plain]) {
      const query = new URLSearchParams({ return_to: path, half_sha256: digest });
      const answer = await fetch(`${console.url}/console/oidc/start?${query}`, { redirect: 'manual' });
      expect(answer.headers.get('location')).toMatch(new RegExp(`^${provider.issuer}/`));
      const [cookie = ''] = answer.headers.getSetCookie();
      const flow = JSON.parse(Buffer.from(/=([^;]+)/.exec(cookie)?.[1] ?? '', 'base64url').toString());
      expect(flow.returnTo).toMatch(/^\/(?:%0d%0aX:%20y)?$/i);
    }
    const other = await fetch(`${console.url}/console/oidc/start?half_sha256=${digest}`, {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
      redirect: 'manual',
    });
    expect(other.status).toBe(403);
  });

  test('a provider that is away is said so, and keys still sign in', async () => {
    const { issuer } = provider;
    const away = await console.system.start('management', {
      MANAGEMENT_PORT: '0',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      CONSOLE_ORIGIN: 'http://127.0.0.1:9',
    });
    expect(issuer).not.toBe('http://127.0.0.1:1');
    const refused = await fetch(`${away.url}/console/oidc/start?half_sha256=${'a'.repeat(64)}`, { redirect: 'manual' });
    expect(refused.status).toBe(403);
    const session = await fetch(`${away.url}/console/session`);
    expect(await session.json()).toEqual({ signed_in: false, oidc: true });
    await away.stop();
  });
});
