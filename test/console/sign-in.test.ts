import { createHash } from 'node:crypto';
import { eventually } from '@agp/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { acceptLink, type ConsoleSystem, openConsole } from './support/open-console.ts';

let console: ConsoleSystem;

const account = (page: Page) => page.getByRole('button', { name: /^Account: / });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 });

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Whatever a page keeps where scripts, history or disks would find it. */
const readTraces = (page: Page) =>
  page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, history.state])',
  );

const endSessions = () =>
  console.system.database.pool.query("UPDATE console_sessions SET last_used_at = now() - interval '31 minutes'");

inBrowser('signing in', () => {
  beforeAll(async () => {
    console = await openConsole();
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  test('with a key leads on to the address that was asked for, and leaves no trace of the key', async () => {
    const { page, context, faults } = await console.arrive('/agents?order=name');
    await heading(page, 'Sign in').waitFor();
    await signIn(page, 'agm_wrong');
    await page.getByText('missing or invalid API key').waitFor();
    await signIn(page, console.system.apiKey);
    await heading(page, 'Agents').waitFor();
    expect(new URL(page.url()).search).toBe('?order=name');
    const traces = await readTraces(page);
    expect(traces).not.toContain(console.system.apiKey);
    const [cookie, ...others] = await context.cookies();
    expect([cookie, others]).toMatchObject([
      { name: 'agp_console', httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 },
      [],
    ]);
    expect(traces).not.toContain(cookie?.value);
    const digests = await console.system.database.pool.query('SELECT token_sha256 FROM console_sessions');
    const digest = createHash('sha256')
      .update(cookie?.value ?? '')
      .digest();
    expect(digests.rows.map(({ token_sha256 }) => token_sha256)).toContainEqual(digest);
    expect(faults).toEqual([]);
  });

  test('by a one-time link works once, and its code leaves the address before anything is asked of a server', async () => {
    const link = await console.makeLink();
    const code = new URL(link).hash;
    const { page, context, faults } = await console.arrive('/agents?order=name');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())}`));
    await page.goto(link);
    await heading(page, 'Sign in with this link?').waitFor();
    expect(asked.filter((line) => line.includes('/console/session')).length).toBeGreaterThan(0);
    expect(await context.cookies()).toEqual([]);
    await acceptLink(page);
    await account(page).waitFor();
    expect(page.url()).toBe(`${console.url}/agents?order=name`);
    expect(asked.length).toBeGreaterThan(3);
    for (const line of asked) expect(line).not.toContain(code.slice('#code='.length));
    await page.goBack();
    expect(page.url()).not.toContain('code=');
    await console.arrive(link.slice(console.url.length));
    await acceptLink(page);
    await page.getByText('missing or invalid API key').waitFor();
    await heading(page, 'Sign in').waitFor();
    expect(faults).toEqual([]);
  });

  test('again after the session has ended goes on where one was', async () => {
    const { page, faults } = await console.show('/costs');
    await heading(page, 'Costs').waitFor();
    await eventually(async () => {
      // A use that is noted late makes it last again.
      await endSessions();
      expect(await page.getByText('Your session has ended').isVisible()).toBe(true);
    });
    expect(page.url()).toContain('/costs');
    await expect(page.getByRole('navigation').count()).resolves.toBe(0);
    await signIn(page, console.system.apiKey);
    await heading(page, 'Costs').waitFor();
    expect(faults).toEqual([]);
  });

  test('lasts while management restarts under two open tabs', async () => {
    const { page, context, faults } = await console.show('/');
    const other = await context.newPage();
    await other.goto(`${console.url}/live`);
    await heading(other, 'Live').waitFor();
    // Its own code is loaded when it is opened: a server that is away then is another story.
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await heading(page, 'Agents').waitFor();
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    const { port } = new URL(console.url);
    await console.system.management.stop();
    const again = await console.system.start('management', { MANAGEMENT_PORT: port });
    expect(again.url).toBe(console.url);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText('No agent yet').waitFor();
    // The live tab connects again by itself, and shows what arrives.
    await console.send('restarted');
    await other.getByText('restarted').first().waitFor();
    await page.getByRole('link', { name: 'restarted' }).waitFor();
    expect(faults).toEqual([]);
    await other.close();
  });

  test("by another's link is asked for first: it neither ends a session nor signs anybody in by itself", async () => {
    const { page, context, faults } = await console.show('/agents');
    const before = await context.cookies();
    const foreign = await console.makeLink(await console.makeKey(['read'], 'foreigner'));
    const [name] = /Account: (.+)/.exec((await account(page).getAttribute('aria-label')) ?? '')?.slice(1) ?? [];
    expect(name).not.toContain('foreigner');
    await page.goto(foreign);
    await page.getByText('You are signed in as').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await account(page).waitFor();
    expect(await account(page).getAttribute('aria-label')).toContain(name);
    expect(await context.cookies()).toEqual(before);
    // It was not used up: it works where it is wanted, and then no more, which ends nothing.
    await page.goto(foreign);
    await acceptLink(page);
    await page.getByRole('button', { name: /^Account: .*foreigner/ }).waitFor();
    await page.goto(foreign);
    await acceptLink(page);
    await page.getByText('missing or invalid API key').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('button', { name: /^Account: .*foreigner/ }).waitFor();
    expect(faults).toEqual([]);
  });

  test('out in one tab signs out the other; the cookie that a thief has kept opens nothing', async () => {
    const { page, context } = await console.show('/costs');
    const other = await context.newPage();
    await other.goto(`${console.url}/agents`);
    await heading(other, 'Agents').waitFor();
    const [stolen] = await context.cookies();
    await account(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in').waitFor();
    await page.waitForURL(`${console.url}/`);
    await expect(page.getByText('Your session has ended').count()).resolves.toBe(0);
    await heading(other, 'Sign in').waitFor();
    expect(await context.cookies()).toEqual([]);
    const headers = { cookie: `agp_console=${stolen?.value}` };
    expect((await fetch(`${console.url}/api/v1/agents`, { headers })).status).toBe(401);
    await other.close();
  });
});
