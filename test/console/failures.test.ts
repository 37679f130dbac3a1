import { eventually } from '@agp/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { neverIssued } from '../control/support/identity-system.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { useConsole } from './support/use-console.ts';

/** On a phone in the dark and on a laptop: nothing is wider than the screen, nor in anybody's way. */
async function expectToFit(page: Page, isConsole = true): Promise<void> {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    if (isConsole) await page.locator(`[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    expect(await listBarriers(page, 'main')).toEqual([]);
  }
}

inBrowser('what failed and what was refused', () => {
  const { open, show, send, system, provider } = useConsole();
  const post = (path: string, body: object) => system().api(path, { method: 'POST', body: JSON.stringify(body) });

  test('a policy says what it refused by day and by team, each day a link to its requests', async () => {
    expect((await send('seller')).status).toBe(200);
    const [agent] = await eventually(async () => {
      const agents = await system().api<{ id: string }[]>('/api/v1/agents');
      expect(agents).toHaveLength(1);
      return agents;
    });
    const body = JSON.stringify({ labels: { team: 'sales' } });
    await system().api(`/api/v1/agents/${agent?.id}`, { method: 'PUT', body });
    const match = { agents: ['seller', 'nobodys'] };
    await post('/api/v1/policies', { name: 'strict', mode: 'enforce', match, models: { allow: ['none-such'] } });
    for (const name of ['seller', 'seller', 'nobodys']) expect((await send(name)).status).toBe(403);
    await eventually(async () => expect(await system().api('/api/v1/refusals')).toHaveLength(3));
    const { page, faults } = await show('/policies/strict');
    const cells = (label: string) => page.getByRole('table', { name: label }).getByRole('cell').allTextContents();
    await page.getByRole('img', { name: 'By day: 3 requests in all' }).waitFor();
    expect(await cells('Refused by team')).toEqual(['sales', '1', '2', 'no team', '1', '1']);
    expect((await cells('Refused by day'))[1]).toBe('3');
    await expectToFit(page);
    await page.getByRole('table', { name: 'Refused by day' }).getByRole('link', { name: '3' }).click();
    await page.getByRole('heading', { name: 'Refusals', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('table', { name: 'Refused requests' }).getByRole('row').count()).toBe(3);
    expect(faults).toEqual([]);
  });

  test("whoever has an agent's token alone sees what it may and what was refused, on a page of the proxy", async () => {
    await post('/api/v1/budgets', { name: 'of-all', amount: 2, window: 'day', on_exceeded: 'refuse' });
    const { secret } = await makeToken(system(), 'seller');
    const { page, faults } = await open('/', { key: null });
    await page.goto(`${system().proxies[0]?.url}/agents/me`);
    await page.getByLabel('Its token').fill(neverIssued);
    await page.getByRole('button', { name: 'Show' }).click();
    await page
      .getByText(/agent token/)
      .last()
      .waitFor();
    await page.getByLabel('Its token').fill(secret);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'seller' }).waitFor();
    await page.getByText('a request that may cost more than $2.00 is refused').waitFor();
    const cells = (at: number) => page.getByRole('table').nth(at).getByRole('cell').allTextContents();
    expect((await cells(0)).slice(0, 2)).toEqual(['of-all', '$2.00 of $2.00']);
    expect(await cells(1)).toEqual(['strict', 'enforce', 'models', 'refused']);
    expect((await cells(2))[1]).toMatch(/^policy strict, rule models: /);
    await expectToFit(page, false);
    expect(faults).toEqual([]);
  });

  test('sessions say how many of their requests failed, and filter by it', async () => {
    provider().handle(() => ({ status: 500, body: { error: { message: 'broken' } } }));
    expect((await send('failing')).status).toBe(500);
    await eventually(async () => expect(await system().api('/api/v1/sessions?failed=true')).toHaveLength(1));
    const { page, faults } = await show('/sessions');
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByLabel('Failures').selectOption('With failures');
    await expect.poll(() => rows.count()).toBe(2);
    await expectToFit(page);
    await rows.getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(2);
    expect(faults).toEqual([]);
  });
});
