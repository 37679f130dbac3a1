import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { inBrowser } from './support/in-browser.ts';
import { type ConsoleSystem, openConsole } from './support/open-console.ts';

let console: ConsoleSystem;

const paths = [
  ...['/', '/live', '/events', '/refusals', '/sessions', '/agents', '/budgets', '/costs', '/audit', '/start', '/keys'],
  '/find',
];

/** Names that agents and callers choose: each tries to be more than text. */
const hostile = '<img src=x onerror="document.title=\'owned\'">';
const formula = '=HYPERLINK("http://evil.test","x")';

/** Buttons that change something. */
const changing =
  /^(?:Block|Unblock|Retire|Set cap|Change cap|Set limit|Change limit|Pause|Resume|Make|Revoke|Rotate|Delete|Release|New)\b/;

/** What this needs of an element; these tests know no DOM. */
interface Labelled {
  getAttribute(name: string): string | null;
  textContent: string;
}

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
    [eventId, agentId, sessionId] = ['x-event-id', 'x-agent-id', 'x-session-id'].map(
      (name) => answer.headers.get(name) ?? '',
    ) as [string, string, string];
    await waitFor('the events', async () => (await console.system.api<object[]>('/api/v1/events')).length === 2);
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  const listPaths = () => [...paths, `/events/${eventId}`, `/agents/${agentId}`, `/sessions/${sessionId}`];

  test('shows what others have named as text, and lets none of it run or load', async () => {
    const { page, context, faults } = await console.open('/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const path of listPaths()) {
      await page.goto(console.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('load');
      // A title may have the whole name in it.
      expect(await page.title(), path).not.toMatch(/^owned/);
      expect(await page.locator('img[src="x"], b[onmouseover]').count(), path).toBe(0);
    }
    await page.goto(`${console.url}/agents`);
    await page.getByRole('link', { name: hostile }).waitFor();
    await page.getByRole('link', { name: formula }).waitFor();
    expect(asked.filter((url) => !url.startsWith(console.url))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('offers the holder of a key that may only read no button that would fail', async () => {
    const { page, context, faults } = await console.open('/', { key: await console.makeKey(['read'], 'viewer') });
    for (const path of listPaths()) {
      await page.goto(console.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('button', { name: /^Account: viewer/ }).waitFor();
      const names = await page
        .getByRole('button')
        .evaluateAll((buttons) =>
          (buttons as unknown as Labelled[]).map((button) => button.getAttribute('aria-label') ?? button.textContent),
        );
      expect(
        names.filter((name) => changing.test(name)),
        path,
      ).toEqual([]);
    }
    expect(faults.filter((fault) => !/status of 403/.test(fault))).toEqual([]);
    await context.close();
  });

  // Schemes differ in their colours alone, and a few screens have them all.
  test.each([
    ['light', (axe: AxeBuilder) => axe, () => true],
    [
      'dark',
      (axe: AxeBuilder) => axe.withRules('color-contrast'),
      (path: string) => /^\/(?:$|budgets|sessions\/|agents\/|events\/)/.test(path),
    ],
  ] as const)('is for everybody: axe finds nothing serious in %s', async (colorScheme, choose, isChosen) => {
    const { page, context } = await console.open('/', { colorScheme });
    const found: string[] = [];
    for (const path of listPaths().filter(isChosen)) {
      await page.goto(console.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const { violations } = await choose(new AxeBuilder({ page })).analyze();
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical') found.push(`${path}: ${id} ${nodes[0]?.html.slice(0, 120)}`);
    }
    expect(found).toEqual([]);
    await context.close();
  });
});
