import { insertDelivery } from '@agp/testing/events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { type ConsoleSystem, openConsole } from './support/open-console.ts';

let console: ConsoleSystem;

/** Addresses that the navigation does not have, and what their screens are called. */
const titles = {
  '/alerts/rules': 'Rules of alerts',
  '/alerts/rules?view=targets': 'Rules of alerts',
  '/alerts/rules?view=dead': 'Rules of alerts',
  '/policies/_new': 'New policy',
  '/find': 'What became of a request',
};

/** Names that agents and callers choose: each tries to be more than text. */
const hostile = '<img src=x onerror="document.title=\'owned\'">';
const formula = '=HYPERLINK("http://evil.test","x")';

/** Buttons that change something. */
const changing =
  /^(?:Block|Unblock|Retire|Set cap|Set limit|Change|Pause|Resume|Acknowledge|Test|Send|Make|Revoke|Rotate|Delete|Release|New|Save|Switch)\b/;

/** What this needs of an element; these tests know no DOM. */
interface Labelled {
  getAttribute(name: string): string | null;
  textContent: string;
}

/** Where the focus may be beside the controls: on what came later or scrolls, and beyond the screen. */
const other = -1;
const outside = -2;

/** What Tab is to reach in the screen, with how each looks without the focus, which is set to the screen itself. */
const listControls = `(() => {
  const still = new CSSStyleSheet();
  still.replaceSync('* { transition: none !important }');
  document.adoptedStyleSheets = [still];
  const main = document.querySelector('main');
  main.focus();
  // A field of several values has its ring around them all.
  const ringed = (each) => each.closest('.mantine-TagsInput-input') ?? each;
  window.look = (each) => ['outline', 'boxShadow', 'borderColor'].map((name) => getComputedStyle(ringed(each))[name]).join();
  window.controls = [...main.querySelectorAll('a[href], button, input, select, textarea, summary, [contenteditable=true]')]
    .filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }));
  window.looks = controls.map(look);
  return controls.length;
})()`;
const readFocus = `(() => {
  const each = document.activeElement;
  const at = controls.indexOf(each);
  return [each.closest('main') ? at : ${outside}, each.outerHTML.slice(0, 200), look(each) !== looks[at]];
})()`;
/** Of those that are still there. */
const tellMissed = `(seen) => controls.filter((each, at) => !seen.includes(at) && each.isConnected && each.checkVisibility())
  .map((each) => each.outerHTML.slice(0, 200))`;

inBrowser('every screen', () => {
  let eventId = '';
  let agentId = '';
  let sessionId = '';

  beforeAll(async () => {
    console = await openConsole();
    const answer = await console.send(hostile, { model: '<script>document.title="owned"</script>' });
    await console.send(formula, {}, { 'x-session-id': '<b onmouseover=alert(1)>' });
    await console.system.api(`/api/v1/agents/${answer.headers.get('x-agent-id')}`, {
      method: 'PUT',
      body: JSON.stringify({ metadata: { [hostile]: hostile } }),
    });
    await fetch(`${console.system.proxies[0]?.url}/${encodeURIComponent(hostile)}/v1/x`, { method: 'POST' });
    await console.makeKey(['read'], hostile);
    const policy = {
      name: 'hostile',
      match: { agents: [hostile], labels: { [hostile]: [formula] } },
      refusal: hostile,
    };
    await console.system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
    const budget = { name: 'hostile', description: hostile, match: policy.match, window: 'day', amount: 1 };
    for (const each of [budget, { ...budget, name: 'each', match: {}, split_by: 'agent' }])
      await console.system.api('/api/v1/budgets', { method: 'POST', body: JSON.stringify(each) });
    const target = { kind: 'webhook', name: 'hostile', description: hostile, url: 'https://127.0.0.1:9/' };
    const { id } = await console.system.api<{ id: string }>('/api/v1/notification-targets', {
      method: 'POST',
      body: JSON.stringify(target),
    });
    const rule = { name: 'hostile', on: 'pii', description: hostile, match: policy.match, targets: ['hostile'] };
    await console.system.api('/api/v1/notification-rules', { method: 'POST', body: JSON.stringify(rule) });
    await console.system.api('/api/v1/pause', { method: 'PUT', body: JSON.stringify({ paused: true }) });
    await waitFor(
      'the alert',
      async () => (await console.system.api<object[]>('/api/v1/alerts?state=open')).length > 0,
    );
    const { pool } = console.system.database;
    await insertDelivery(pool, { target: id, isDead: true });
    await pool.query('UPDATE alerts SET title = $1, detail = $1', [hostile]);
    [eventId, agentId, sessionId] = ['x-event-id', 'x-agent-id', 'x-session-id'].map(
      (name) => answer.headers.get(name) ?? '',
    ) as [string, string, string];
    await waitFor('the events', async () => (await console.system.api<object[]>('/api/v1/events')).length === 2);
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  /** Those of the navigation too, which is named as they are. */
  const listScreens = async (page: Page): Promise<[path: string, title: string][]> => [
    ...(await page
      .locator('.nav-link')
      .evaluateAll((links) =>
        (links as unknown as Labelled[]).map((link): [string, string] => [
          link.getAttribute('href') ?? '',
          link.textContent,
        ]),
      )),
    ...Object.entries(titles),
    [`/events/${eventId}`, 'Event'],
    [`/agents/${agentId}`, hostile],
    [`/sessions/${sessionId}`, 'Session'],
    ['/policies/hostile', 'hostile'],
  ];

  /** Shows each screen in turn, and looks at it once all that it reads is there. */
  async function walk(page: Page, chosen: [string, string][], look: (path: string) => Promise<void>): Promise<void> {
    for (const [path, title] of chosen) {
      await goTo(page, path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      await look(path);
    }
  }

  test('shows what others have named as text, lets none of it run or load, and is for everybody', async () => {
    const { page, context, faults } = await console.open('/', { colorScheme: 'light' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const barriers: string[] = [];
    const screens = await listScreens(page);
    expect(screens.length).toBeGreaterThan(15);
    await walk(page, screens, async (path) => {
      // A title may have the whole name in it.
      expect(await page.title(), path).not.toMatch(/^owned/);
      expect(await page.locator('img[src="x"], b[onmouseover]').count(), path).toBe(0);
      // Around a screen is the same on all, so the first is looked at with it.
      barriers.push(...(await listBarriers(page, path === '/' ? 'html' : 'main')));
      if (path !== '/agents') return;
      await page.getByRole('link', { name: hostile, exact: true }).waitFor();
      await page.getByRole('link', { name: formula, exact: true }).waitFor();
    });
    // The other scheme differs in its colours, a phone in what a finger can hit; a few screens have them all.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-mantine-color-scheme=dark]').waitFor();
    const coloured = screens.filter(([path]) =>
      /^\/(?:$|alerts|budgets|sessions\/|agents\/|events\/|policies\/)/.test(path),
    );
    const rules = ['color-contrast', 'link-in-text-block', 'target-size'];
    await walk(page, coloured, async (path) => {
      barriers.push(...(await listBarriers(page, path === '/' ? 'html' : 'main', rules)));
    });
    expect(barriers.filter((found) => /^(?:serious|critical) /.test(found))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(console.url))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('is used by keyboard alone: Tab reaches all in order, and shows where it is; dialogs give the focus back', async () => {
    const { page, context, faults } = await console.open('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    const found: string[] = [];
    let reached = 0;
    await walk(page, await listScreens(page), async (path) => {
      const count = await page.evaluate<number>(listControls);
      const seen = new Set<number>();
      for (let presses = 0; presses < count + 20; presses++) {
        await page.keyboard.press('Tab');
        const [at, name, isSeen] = await page.evaluate<[number, string, boolean]>(readFocus);
        if (at === outside) break;
        if (at === other) continue;
        if (!isSeen) found.push(`${path}: no ring around ${name}`);
        if (at < Math.max(...seen, 0)) found.push(`${path}: back to ${name}`);
        seen.add(at);
      }
      reached += seen.size;
      const missed = await page.evaluate<string[]>(`(${tellMissed})(${JSON.stringify([...seen])})`);
      found.push(...missed.map((name) => `${path}: no way to ${name}`));
    });
    expect(found).toEqual([]);
    expect(reached).toBeGreaterThan(100);
    for (const [path, name] of [
      [`/agents/${agentId}`, /^Block/],
      ['/keys', /^Make a key/],
      ['/policies/hostile', /^Delete/],
      ['/agents', /^Look/],
    ] as const) {
      await goTo(page, path);
      const button = page.getByRole('button', { name }).first();
      await button.focus();
      await page.evaluate("window.opener = document.activeElement.closest('tr') ?? document.activeElement");
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate('opener.contains(document.activeElement)')).toBe(true);
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test('offers the holder of a key that may only read no button that would fail', async () => {
    const { page, context, faults } = await console.open('/', { key: await console.makeKey(['read'], 'viewer') });
    await page.getByRole('button', { name: /^Account: viewer/ }).waitFor();
    await walk(page, await listScreens(page), async (path) => {
      const names = await page
        .getByRole('button')
        .evaluateAll((buttons) =>
          (buttons as unknown as Labelled[]).map((button) => button.getAttribute('aria-label') ?? button.textContent),
        );
      expect(
        names.filter((name) => changing.test(name)),
        path,
      ).toEqual([]);
      if (path === '/keys')
        await page.getByRole('heading', { name: 'Only administrators see keys and tokens' }).waitFor();
    });
    expect(faults.filter((fault) => !/status of 403/.test(fault))).toEqual([]);
    await context.close();
  });
});
