import type { ListedEvent } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { eventually } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roundUsd } from '../../packages/console/src/format/format.ts';
import type { Scene } from '../../packages/local-stack/src/demo/scene.ts';
import { makeAlerts, makeBills, makeDemoData, openDemoConsole, shownProxy } from './demo/open-demo-console.ts';
import { listScreens } from './equality/list-screens.ts';
import { readShown } from './equality/read-shown.ts';
import { showEvent } from './equality/show-rows.ts';
import { zone } from './equality/show-values.ts';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import type { ConsolePage, ConsoleSystem } from './support/open-console.ts';

inBrowser('what a screen shows', () => {
  let console: ConsoleSystem;
  let data: Scene;
  let opened: ConsolePage;

  beforeAll(async () => {
    console = await openDemoConsole();
    data = await makeDemoData(console.system, 1);
    await makeAlerts(console.system);
    await makeBills(console.system);
    opened = await console.open('/', { timezoneId: zone });
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  const ask = <Answer>(path: string) => console.system.api<Answer>(path);

  test('is what the API answers to the same query: rows, sums, names, counts, money', async () => {
    const { page, faults } = opened;
    const screens = listScreens(data);
    for (const { path, expected } of screens) {
      await goTo(page, path);
      await eventually(async () => expect(await readShown(page), path).toMatchObject(await expected(ask)));
      // Of several views one is said to be shown.
      expect((await readShown(page)).tabs.length, path).toBe(/^\/(?:alerts\/rules|costs|keys)/.test(path) ? 1 : 0);
    }
    expect(faults).toEqual([]);
  });

  test('is, behind each figure that leads somewhere, a list of just as many', async () => {
    const { page } = opened;
    // Lists show so many at once.
    const mostShown = 50;
    const links = new Map<string, { figure: number; from: string }>();
    for (const { path: from } of listScreens(data)) {
      await goTo(page, from);
      await eventually(async () => expect(await page.locator('main .mantine-Skeleton-root').count()).toBe(0));
      const all = await page
        .locator(
          'main a[href^="/events?"], main a[href^="/refusals?"], main a[href^="/agents?"], main a[href^="/sessions?"]',
        )
        .evaluateAll((found) =>
          (found as unknown as { getAttribute(name: string): string; textContent: string }[]).map((link) => [
            link.getAttribute('href'),
            link.textContent.trim(),
          ]),
        );
      for (const [path = '', text = ''] of all) {
        const [, figure] = /^(?:[A-Za-z ]+ )?(\d[\d,]*)(?: [a-z ]+)?$/.exec(text) ?? [];
        if (figure !== undefined) links.set(path, { figure: Number(figure.replaceAll(',', '')), from });
      }
    }
    expect(links.size).toBeGreaterThan(10);
    for (const [path, { figure, from }] of links) {
      await goTo(page, path);
      await eventually(async () => {
        const { 'Refused requests': refused, ...others } = (await readShown(page)).tables;
        const [rows] = Object.values(others);
        const count = refused?.reduce((sum, row) => sum + Number(row.Requests), 0) ?? rows?.length ?? 0;
        expect(count, `${from} leads to ${path}`).toBe(refused ? figure : Math.min(figure, mostShown));
      });
    }
  });

  test('is the next page where somebody turns to it, and the one before again', async () => {
    const { page } = opened;
    await goTo(page, '/events');
    const expectRows = (events: ListedEvent[]) =>
      eventually(async () => expect((await readShown(page)).tables.Events).toEqual(events.map(showEvent)));
    const path = '/api/v1/events?expand=agent,outcome&limit=50';
    const first = await ask<ListedEvent[]>(path);
    await expectRows(first);
    await page.getByRole('button', { name: 'Older' }).click();
    const all = await ask<ListedEvent[]>(path.replace('50', '100'));
    expect(all.length).toBeGreaterThan(50);
    await expectRows(all.slice(50));
    await page.getByRole('button', { name: 'Newer' }).click();
    await expectRows(first);
  });

  test('arrives on Live as it is recorded', async () => {
    const { page } = opened;
    await goTo(page, '/live');
    await page.getByText('connected', { exact: true }).waitFor();
    for (const word of ['one', 'two', 'three'])
      await data.ask('release-notes', 'gpt-5-mini', `Number ${word}, please.`);
    await eventually(async () => {
      const events = await ask<ListedEvent[]>('/api/v1/events?expand=agent,outcome&limit=3');
      const shown = await page.locator('.live-row').allTextContents();
      expect(shown).toEqual(
        events.map(
          ({ timestamp, agent_name, model, prompt_tokens, completion_tokens, cost_usd, outcome }) =>
            `${timestamp.slice(11, 19)}${agent_name}${model}${outcome}${formatCount(prompt_tokens + completion_tokens)}${roundUsd(cost_usd)}`,
        ),
      );
    });
  });

  test('names who is signed in, and where agents find the proxy', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'Account: bootstrap' }).waitFor();
    await goTo(page, '/start');
    await page.getByLabel('Code for OpenAI, JavaScript').getByText(`${shownProxy}/demo/v1`).waitFor();
  });
});
