import { createdApiKeySchema, type ListedAgent, type Team } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const match = { team: 'search' };
const view = 'team=search';

inBrowser("a team's view in the console", () => {
  const { open, show, send, system } = useConsole();

  async function openAs(path: string, scopes = ['read', 'write', 'admin'], team: Team | null = match) {
    const body = JSON.stringify({ name: 'search leads', scopes, match: team });
    const key = createdApiKeySchema.parse(await system().api('/api/v1/keys', { method: 'POST', body }));
    return open(path, { key: key.secret });
  }

  test.each([1280, 390])('says whose it is on every screen, %i pixels wide', async (width) => {
    const { page, context, faults } = await openAs('/');
    await page.setViewportSize({ width, height: 844 });
    const chip = page.getByRole('banner').getByText(view, { exact: true });
    await chip.waitFor();
    const { x = 0, width: wide = 0 } = (await chip.boundingBox()) ?? {};
    expect([wide > 50, x + wide <= width]).toEqual([true, true]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.title()).toBe('Now · Agent Governance Proxy');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('offers nothing that is of the whole installation, and says so behind links', async () => {
    const { page, context, faults } = await openAs('/');
    const places = [
      ['/', 'Personal data', ['Pause all agents', 'Check the audit log']],
      ['/alerts', 'State', ['Rules and targets']],
      ['/budgets', 'New agents', ['Set cap of all agents together', 'Set cap of new agents']],
      ['/audit', 'Audit log', ['Verify the whole log']],
      ['/costs', 'In doubt', ['Unpriced']],
      ['/keys', 'Agent tokens', ['API keys', 'Make a key']],
    ] as const;
    for (const [path, beside, absent] of places) {
      await goTo(page, path);
      await page.getByRole('main').getByText(beside).first().waitFor();
      for (const name of absent)
        expect(await page.getByRole('main').locator('a, button').filter({ hasText: name }).count(), name).toBe(0);
    }
    for (const path of ['/alerts/rules', '/alerts/rules?view=targets', '/costs?view=unpriced', '/keys?view=keys']) {
      await goTo(page, path);
      await page.getByText('This is of the whole installation').waitFor();
      await page.getByText(`Your view is ${view}.`).waitFor();
      expect(await page.getByRole('main').getByRole('row').count(), path).toBe(0);
    }
    await goTo(page, '/events');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save what is shown as').waitFor();
    expect(await page.getByLabel('For all').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('lets labels of the view alone, which take an agent into it or out of it', async () => {
    await send('labelled');
    const find = async () => (await system().api<ListedAgent[]>('/api/v1/agents?search=labelled'))[0];
    await expect.poll(find).toBeDefined();
    const { id = '' } = (await find()) ?? {};
    const labels = { team: 'search', owner: 'ada' };
    await system().api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ labels }) });
    const { page, context, faults } = await openAs(`/agents/${id}`);
    await page.getByRole('button', { name: 'Labels of labelled' }).click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Team').isDisabled()).toBe(true);
    await form.getByLabel('Owner').fill('bob');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await find())?.metadata).toEqual({ team: 'search', owner: 'bob' });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a key of a team is made in a form, which takes what is still typed', async () => {
    const { page, faults } = await show('/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('of search');
    const field = form.getByLabel('Only the agents with');
    await field.fill('team');
    await form.getByText('must be a label such as team=search').waitFor();
    expect(await form.getByRole('button', { name: 'Make it' }).isDisabled()).toBe(true);
    await field.fill('team=search');
    await form.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('row', { name: /of search/ })
      .getByText(view)
      .waitFor();
    expect(faults).toEqual([]);
  });
});
