import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('live events', () => {
  const { show, send, system } = useConsole();

  const sendMany = (count: number, agent: string) => Promise.all(Array.from({ length: count }, () => send(agent)));

  test('wait behind a pill while somebody reads, and each comes once', async () => {
    const { page, faults } = await show('/live');
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
  });

  test('are counted over a list that does not jump', async () => {
    const { page, faults } = await show('/events');
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
  });
});
