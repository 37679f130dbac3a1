import { expect, test } from 'vitest';
import { followLive } from '../prove/stories/console-live.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

/** Many more than are drawn; `npm run prove` sends more than the list keeps. */
const many = 600;
const atOnce = 50;
/** Only what hangs runs into it. */

inBrowser('live events', () => {
  const { open, send, system } = useConsole();

  const sendMany = async (count: number, agent: string) => {
    for (let sent = 0; sent < count; sent += atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, count - sent) }, () => send(agent)));
  };

  test('arrive in whatever number, in a list that stays short', async () => {
    await followLive({ open, send }, { minutes: 1, perMinute: many, atOnce });
  });

  test('wait behind a pill while somebody reads, and each comes once', async () => {
    const { page, context, faults } = await open('/live');
    await page.getByText('connected', { exact: true }).waitFor();
    await sendMany(30, 'reader');
    const rows = page.locator('.live-row');
    await expect.poll(() => rows.first().getAttribute('aria-setsize')).toBe('30');
    await page.getByRole('button', { name: 'Hold' }).click();
    const before = await rows.first().textContent();
    await sendMany(7, 'later');
    await page.getByRole('button', { name: '7 new events' }).waitFor();
    expect(await rows.first().textContent()).toBe(before);
    await page.getByRole('button', { name: '7 new events' }).click();
    await expect.poll(() => rows.first().getAttribute('aria-setsize')).toBe('37');
    expect(await rows.first().textContent()).toContain('later');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('are counted over a list that does not jump', async () => {
    const { page, context, faults } = await open('/events');
    await page.getByRole('table', { name: 'Events' }).waitFor();
    const first = page.getByRole('row').nth(1);
    const before = await first.textContent();
    // The stream may still be opening: what comes before is in no count, and in the next reading.
    await expect
      .poll(async () => {
        await send('newest');
        return page.getByRole('button', { name: /new events?$/ }).count();
      })
      .toBe(1);
    expect(await first.textContent()).toBe(before);
    await page.getByRole('button', { name: /new events?$/ }).click();
    await expect.poll(() => first.textContent()).toContain('newest');
    const [latest] = await system().api<{ id: string }[]>('/api/v1/events?limit=1');
    expect(latest?.id).toMatch(/^evt_/);
    expect(faults).toEqual([]);
    await context.close();
  });
});
