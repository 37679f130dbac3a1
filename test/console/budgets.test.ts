import type { StoredBudget } from '@agp/budgets';
import { expect, test } from 'vitest';
import { dialog, press, type } from './support/by-keyboard.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('budgets in the console', () => {
  const { show, open, send, makeKey, system } = useConsole();
  const read = async () => (await system().api<StoredBudget[]>('/api/v1/budgets/list'))[0];

  test('are made, changed by two at once, and deleted by the form, with the keyboard alone', async () => {
    const agentId = (await send('seller')).headers.get('x-agent-id') ?? '';
    await system().api(`/api/v1/agents/${agentId}`, {
      method: 'PUT',
      body: JSON.stringify({ labels: { team: 'sales' } }),
    });
    await send('seller');
    await expect.poll(async () => (await system().api<object[]>('/api/v1/events')).length).toBe(2);
    const { page, faults } = await show('/budgets');
    await page.getByText('A budget is an amount of money, tokens or requests').waitFor();
    await press(page, 'New budget');
    await dialog(page).getByLabel('Name').waitFor();
    await type(page, [
      ['Name', ['Sales month']],
      ['Labels', ['team', 'Enter']],
    ]);
    await dialog(page).getByRole('status').getByText('Labels: A label is such as team=sales').waitFor();
    await dialog(page).getByLabel('Name').fill('for-all');
    const tried = page.waitForResponse((answer) => /"amount":5\b/.test(answer.request().postData() ?? ''));
    await dialog(page).getByLabel('Amount').fill('5');
    await tried;
    expect(await dialog(page).getByRole('button', { name: 'Make', exact: true }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Name').fill('Sales month');
    await dialog(page).getByLabel('Amount').fill('');
    await type(page, [['Labels', ['Backspace', 'team=sales', 'Enter']]]);
    await dialog(page).getByText('1 agent: seller.').waitFor();
    await dialog(page).getByText('must be up to 64 of a-z').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Make', exact: true }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Name').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('sales-month');
    // Keys have their time, as with people: the draft follows each.
    for (const [typed, shown] of [
      ['0.0025', '$0.0025'],
      ['12,50', '$12.50'],
      ['1', '$1'],
    ] as const) {
      await dialog(page).getByLabel('Amount').focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(typed, { delay: 60 });
      expect(await dialog(page).getByLabel('Amount').inputValue()).toBe(shown);
    }
    await type(page, [['Of', ['R']]]);
    await dialog(page).getByText('It is used up already: the next request is refused.').waitFor();
    await type(page, [['Yellow from, in percent', ['Backspace', '2000', 'Enter']]]);
    await dialog(page).getByText('must be', { exact: false }).or(dialog(page).getByText('<=1000')).first().waitFor();
    await page.keyboard.press('Backspace');
    await type(page, [['Reason', ['for the new team']]]);
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1920, 'light'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.locator(`[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      // Nothing of the page would be left behind a black one.
      const style = "getComputedStyle(document.querySelector('.mantine-Modal-overlay'))";
      const shade = await page.evaluate<string>(`${style}.backgroundColor`);
      expect(/\b0[, ]+0[, ]+0\b/.test(shade), shade).toBe(colorScheme === 'light');
      expect(await listBarriers(page, '[role=dialog]')).toEqual([]);
    }
    await press(page, 'Make');
    await page.getByText('sales-month is 1 request a month; beyond it requests are refused.').waitFor();
    expect((await read())?.budget).toMatchObject({
      ...{ name: 'sales-month', match: { labels: { team: ['sales'] } }, split_by: 'none', unit: 'requests', amount: 1 },
      ...{ window: 'month', zone: 'UTC', thresholds: [50, 80], on_exceeded: 'refuse' },
    });
    expect((await send('seller')).status).toBe(429);
    await show(`/agents/${agentId}`);
    await page.getByText(/0 requests left of 1 request until .* no room/).waitFor();
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByLabel(/^A screen/).waitFor();
    await page.keyboard.type('budget sales-month');
    await page.getByRole('button', { name: /sales-month/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByText('team sales').waitFor();
    await dialog(page).getByRole('table').getByText('no room').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });

    await press(page, 'Change sales-month');
    await dialog(page).getByLabel('Amount').waitFor();
    const { id = '', budget } = (await read()) ?? {};
    const theirs = JSON.stringify({ ...budget, description: 'theirs' });
    await system().api(`/api/v1/budgets/${id}`, { method: 'PUT', body: theirs });
    await type(page, [['Amount', ['0']]]);
    await press(page, 'Save');
    await dialog(page).getByText('Somebody changed it meanwhile.').waitFor();
    await dialog(page).getByText('"description": "theirs"').waitFor();
    await press(page, 'Save anyway');
    await page.getByText('sales-month is 10 requests a month').waitFor();
    expect(await read()).toMatchObject({ version: 3, budget: { amount: 10, thresholds: [50, 80] } });
    expect((await send('seller')).status).toBe(200);
    await press(page, 'Undo');
    await expect.poll(async () => (await read())?.budget).toMatchObject({ amount: 1, description: 'theirs' });

    await show('/budgets');
    await press(page, 'Delete sales-month');
    await dialog(page).getByText('what it refused is let through').waitFor();
    // Until the focus is in the dialog it is on another button that is called so.
    await expect.poll(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await press(page, 'Delete');
    await page.getByText('sales-month is gone.').waitFor();
    await expect.poll(read).toBeUndefined();
    await press(page, 'Undo');
    await page.getByRole('link', { name: 'sales-month' }).waitFor();
    // The browser tells of answers that are errors: of names, of percents, and of the change by two at once.
    expect(faults.filter((fault) => !/status of 4(?:00|09)/.test(fault))).toEqual([]);
  });

  test('are shown, without ways to change them, to who may only read', async () => {
    const { page, context } = await open('/budgets#new', { key: await makeKey(['read'], 'reader') });
    await page.getByRole('link', { name: 'sales-month' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:New budget|Change|Delete)/ }).count()).toBe(0);
    await context.close();
  });
});
