import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

/** More than the list keeps. */
const many = 2_200;
const kept = 2_000;
const atOnce = 50;

inBrowser('live events', () => {
  const { open, send, system } = useConsole();

  const sendMany = async (count: number, agent: string) => {
    for (let sent = 0; sent < count; sent += atOnce)
      await Promise.all(Array.from({ length: Math.min(atOnce, count - sent) }, () => send(agent)));
  };

  test('arrive in whatever number, in a list that stays short', async () => {
    const { page, context, faults } = await open('/live');
    await page.getByText('connected', { exact: true }).waitFor();
    await sendMany(many, 'busy');
    const rows = page.locator('.live-row');
    await expect.poll(() => rows.first().getAttribute('aria-setsize'), { timeout: 120_000 }).toBe(String(kept));
    // Of thousands only those in sight are there.
    expect(await rows.count()).toBeLessThan(100);
    await send('last of all');
    await page.getByRole('link', { name: 'last of all' }).waitFor();
    expect(await rows.first().textContent()).toContain('last of all');
    expect(faults).toEqual([]);
    await context.close();
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
      .poll(
        async () => {
          await send('newest');
          return page.getByRole('button', { name: /new events?$/ }).count();
        },
        { timeout: 60_000, interval: 500 },
      )
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
