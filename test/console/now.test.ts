import { waitFor } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDemoConsole } from './demo/open-demo-console.ts';
import { inBrowser } from './support/in-browser.ts';
import type { ConsoleSystem } from './support/open-console.ts';

inBrowser('Now', () => {
  let console: ConsoleSystem;

  const ask = async (agent: string, content: string) => {
    const answer = await fetch(`${console.system.proxies[0]?.url}/demo/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agent },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
    });
    await answer.text();
  };

  beforeAll(async () => {
    console = await openDemoConsole();
    for (let at = 0; at < 12; at += 1) await ask('ledger', `Again. x-demo-status: ${at < 9 ? 500 : 429}`);
    for (let at = 0; at < 4; at += 1) await ask('ledger', 'Again.');
    for (let at = 0; at < 9; at += 1) await ask('quiet', 'Once more. x-demo-status: 500');
    await waitFor('the events', async () => (await console.system.api<object[]>('/api/v1/events')).length === 25);
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  test('names an agent that fails first, leads to it, and is calm once somebody looks after it', async () => {
    const { page, faults } = await console.show('/');
    const lines = page.locator('.problems > li');
    const title = 'agent ledger fails: 12 of 16 requests';
    const line = lines.filter({ hasText: title });
    // Causes are looked for every 15 seconds.
    await line.waitFor({ timeout: 60_000 });
    await line.getByText(/^75 %, .*; mostly 500; since /).waitFor();
    expect(await line.getAttribute('data-tone')).toBe('bad');
    // Nine requests are too few to say so.
    expect(await lines.filter({ hasText: 'quiet' }).count()).toBe(0);
    await line.getByRole('button', { name: `Acknowledge ${title}` }).click();
    await line.getByText(/ looks after it$/).waitFor();
    expect(await line.getAttribute('data-tone')).toBe('warn');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    await line.getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: 'ledger' }).waitFor();
    const entries = page.locator('.timeline > li[data-kind=event]');
    await expect
      .poll(async () => (await entries.allInnerTexts()).map((each) => /(completed|answered \d+) × \d+/.exec(each)?.[0]))
      .toEqual(['completed × 4', 'answered 429 × 3', 'answered 500 × 9']);
    expect(faults).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('shows only the hours that somebody drags over, in all charts', async () => {
    const { page, faults } = await console.show('/');
    const charts = page.locator('.panels .u-over');
    await expect.poll(() => charts.count()).toBe(4);
    const box = await charts.nth(1).boundingBox();
    if (box === null) throw new Error('the chart is not to be seen');
    const y = box.y + box.height / 2;
    // What has no value yet names none.
    const values = page.locator('.panels .u-value:visible');
    await page.locator('.panels .u-legend').getByText('Failed').waitFor();
    expect(await values.count()).toBe(0);
    await page.mouse.move(box.x + box.width * 0.3, y);
    await expect.poll(() => values.count()).toBeGreaterThan(4);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
    await page.mouse.up();
    await page.getByText(/^The charts show /).waitFor();
    await page.getByRole('img', { name: 'By hour: requests 0, failed 0 in all' }).waitFor();
    const all = page.getByRole('img', { name: 'By hour: requests 25, failed 21 in all' });
    const linked = page.url();
    for (const undo of [
      () => page.getByRole('button', { name: 'Show all hours' }).click(),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]) {
      await undo();
      await all.waitFor();
      await page.goto(linked);
      await page.getByText(/^The charts show /).waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('fades without the API, but for its warning, and Pause says that nobody knows', async () => {
    const { page, context, faults } = await console.show('/');
    await page.locator('.screen > .panels').waitFor();
    await context.route('**/api/**', (route) => route.abort());
    const warning = page.getByRole('alert').first();
    await warning.getByText('The management API does not answer').waitFor();
    const opacityOf = (place: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${place}')).opacity`);
    await expect.poll(() => opacityOf('.screen > .panels')).toBe('0.5');
    expect(await opacityOf('.screen > [role=alert]')).toBe('1');
    await page.getByText('not refreshed since').waitFor();
    await page.getByRole('button', { name: 'Pause all agents' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause all agents' }).click();
    await page.getByText('Whether it was done is not known.').waitFor();
    expect(faults).toEqual([]);
  });
});
