import type { ListedEvent } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('what somebody sees who is here for the first time', () => {
  const { show, send, system } = useConsole();

  test('before any agent, the way to connect one; later nothing that disagrees', async () => {
    const { page, faults } = await show('/');
    await page.getByRole('heading', { name: 'No agent yet' }).waitFor();
    expect(await page.locator('main').getByRole('link', { name: 'Connect an agent' }).getAttribute('href')).toBe(
      '/start',
    );
    await send('first-agent');
    const read = () => system().api<ListedEvent[]>('/api/v1/events');
    await expect.poll(async () => (await read()).length).toBe(1);
    const [event] = (await read()) as [ListedEvent];
    await page.getByRole('heading', { name: 'No agent yet' }).waitFor({ state: 'detached' });
    // Nobody sends for a while: then nothing tells whether a writer runs, and no green badge says so.
    await system().database.pool.query(`UPDATE events SET recorded_at = recorded_at - interval '5 minutes'`);
    await page
      .locator('header')
      .getByText(/^Last record [45] min ago$/)
      .waitFor();
    expect(await page.locator('header .pill').getAttribute('data-tone')).toBe('plain');
    await page.locator('main').getByText('writer idle', { exact: true }).waitFor();
    await show(`/audit?agent_id=${event.agent_id}`);
    await page.getByRole('button', { name: 'Remove the filter Agent first-agent' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('under a locale of the browser that is no language, charts are drawn all the same', async () => {
    const { page, context, faults } = await show('/');
    await context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })`,
    );
    await page.reload();
    await page.locator('.chart canvas').first().waitFor();
    expect(faults).toEqual([]);
  });
});
