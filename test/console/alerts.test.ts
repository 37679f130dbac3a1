import type { Alert, Delivery, StoredRule, StoredTarget } from '@agp/alerts';
import { insertAlert, insertDelivery } from '@agp/testing/events';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { dialog, press, type } from './support/by-keyboard.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { useConsole } from './support/use-console.ts';

/** What keeps somebody out of a dialog, on a phone and on a laptop. */
async function listBarriersOfDialog(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.locator(`[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    found.push(...(await listBarriers(page, '[role=dialog]')));
  }
  return found;
}

inBrowser('alerts in the console', () => {
  const { show, open, send, makeKey, system } = useConsole();
  const read = <Answer>(path: string) => system().api<Answer>(`/api/v1/${path}`);
  const block = (agent: string, status: string) =>
    system().api(`/api/v1/agents/${agent}?reason=loops`, { method: 'PUT', body: JSON.stringify({ status }) });
  let agentId = '';

  test('go to targets, whose secrets are shown once at most, and are tested', async () => {
    const { page, faults } = await show('/alerts');
    await page.getByRole('heading', { name: 'Nothing is open' }).waitFor();
    await page.getByRole('link', { name: '0 open alerts' }).waitFor();
    await page.getByRole('link', { name: 'Rules and targets' }).click();
    await page.getByRole('link', { name: 'Targets', exact: true }).click();
    await page.getByRole('heading', { name: 'No target yet' }).waitFor();
    await page.getByRole('button', { name: 'New target' }).click();
    await dialog(page).getByLabel('Name').fill('On call');
    await dialog(page).getByText('must be up to 64 of a-z').waitFor();
    await dialog(page).getByLabel('Name').fill('on-call');
    await dialog(page).getByText('what is open already is not sent to it').waitFor();
    await dialog(page).getByLabel('Kind').selectOption('slack');
    expect(await dialog(page).getByLabel('Url').getAttribute('type')).toBe('password');
    await dialog(page).getByLabel('Kind').selectOption('webhook');
    expect(await dialog(page).getByLabel('Secret').getAttribute('type')).toBe('password');
    expect(await dialog(page).getByRole('button', { name: 'Make', exact: true }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Url').fill('https://127.0.0.1:9/alerts');
    expect(await listBarriersOfDialog(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Make', exact: true }).click();
    const secret = page.getByTestId('secret');
    await secret.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Copy secret' }).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await secret.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Change on-call' }).click();
    await dialog(page).getByText('Stays as it is if empty').waitFor();
    expect(await dialog(page).getByLabel('Secret').inputValue()).toBe('');
    await dialog(page).getByLabel('Description').fill('who is awake');
    await dialog(page).getByLabel('Monthly costs by').fill('weather');
    await dialog(page).getByText('must be agent, model, provider, tag or label:NAME').waitFor();
    await dialog(page).getByLabel('Monthly costs by').fill('label:team');
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    // What was said of its making may still stand.
    await dialog(page).waitFor({ state: 'detached' });
    expect(await read<StoredTarget[]>('notification-targets')).toMatchObject([
      { version: 2, target: { name: 'on-call', url: 'https://127.0.0.1:9/alerts', description: 'who is awake' } },
    ]);
    await page.getByRole('cell', { name: 'label:team' }).waitFor();
    await page.getByRole('button', { name: 'Test on-call' }).click();
    await page.getByText(/^on-call did not take a test message: ./).waitFor();
    expect(faults).toEqual([]);
  });

  test('come from rules that are made with the keyboard alone, with what they would tell', async () => {
    agentId = (await send('nightly')).headers.get('x-agent-id') ?? '';
    const { page, faults } = await show('/alerts/rules');
    await page.getByRole('table', { name: 'Rules of alerts' }).waitFor();
    await press(page, 'New rule');
    await dialog(page).getByText('agent nightly fails: all 306 requests').waitFor();
    await type(page, [
      ['Name', ['nights']],
      ['Tells of', ['ch']],
    ]);
    await dialog(page).getByText('key ops-1 blocked agent nightly').waitFor();
    await dialog(page).getByText('No alert would be open now').waitFor();
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Make', exact: true }).isEnabled()).toBe(true);
    await type(page, [['Labels', ['team', 'Enter']]]);
    await dialog(page).getByText('A label is such as team=sales').waitFor();
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Make', exact: true }).isDisabled()).toBe(true);
    await type(page, [
      ['Labels', ['Backspace']],
      ['Agents', ['nightly', 'Enter']],
      ['Targets', ['on-call', 'Enter']],
      ['Quiet minutes', ['99999']],
    ]);
    await dialog(page).getByText('Too big').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Make', exact: true }).isDisabled()).toBe(true);
    await type(page, [['Quiet minutes', ['Backspace', 'Backspace', 'Backspace', 'Backspace']]]);
    expect(await listBarriersOfDialog(page)).toEqual([]);
    await press(page, 'Make');
    await page.getByText('nights holds within seconds.').waitFor();
    const rules = await read<StoredRule[]>('notification-rules');
    expect(rules.find(({ rule }) => rule.name === 'nights')?.rule).toMatchObject({
      ...{ on: 'change', match: { agents: ['nightly'] }, targets: ['on-call'], severity: 'info', enabled: true },
    });
    const [first] = rules.filter(({ rule }) => rule.name === 'blocks-and-pauses');
    await press(page, 'Delete blocks-and-pauses');
    await expect.poll(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await press(page, 'Delete');
    await page.getByText('blocks-and-pauses is gone.').waitFor();
    expect((await read<StoredRule[]>('notification-rules')).some(({ id }) => id === first?.id)).toBe(false);
    await show('/alerts/rules?view=targets');
    await page.getByRole('button', { name: 'Delete on-call' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('rules send to it: nights').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(faults.splice(0).filter((fault) => !/status of 409/.test(fault))).toEqual([]);
  });

  test('come up, lead to the block in three taps, are acknowledged, and end', async () => {
    const key = await makeKey(['read', 'write'], 'ops-1');
    const phone = { key, viewport: { width: 390, height: 844 }, hasTouch: true };
    await block(agentId, 'blocked');
    const { page, context, faults } = await open('/alerts', phone);
    await expect.poll(async () => (await read<Alert[]>('alerts?state=open')).length).toBe(1);
    const [alert] = await read<Alert[]>('alerts?state=open');
    const title = alert?.title ?? '';
    const row = page.getByRole('row', { name: title });
    await row.getByText('open', { exact: true }).waitFor();
    await row.getByRole('button', { name: `Acknowledge ${title}` }).tap();
    await row.getByText('by ops-1').waitFor();
    // Mere news is no number at the bell.
    await page.getByRole('link', { name: '0 open alerts' }).waitFor();
    await block(agentId, 'active');
    await page.getByRole('heading', { name: 'Nothing is open' }).waitFor();
    await page.goto(`${new URL(page.url()).origin}/alerts?state=resolved&rule=nights`);
    await row.getByText('resolved', { exact: true }).waitFor();

    // Waits for a look that is under way: after it no watch ends what has no cause.
    await system().database.pool.query('DELETE FROM alert_watch');
    const id = await insertAlert(system().database.pool, { agentId, path: `/agents/${agentId}` });
    await page.goto(new URL((await read<Alert>(`alerts/${id}`)).path, page.url()).href);
    await page.getByText('agent nightly fails: all 306 requests').waitFor();
    await page.getByRole('button', { name: 'Block nightly' }).tap();
    await dialog(page).getByRole('button', { name: 'Block', exact: true }).tap();
    await page.getByText('nightly is blocked.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('of a page are acknowledged at once, and their rule is silent for a time', async () => {
    for (const title of ['agent one fails', 'agent two fails']) await insertAlert(system().database.pool, { title });
    const { page, faults } = await show('/alerts');
    await page.getByRole('row', { name: 'agent two fails' }).waitFor();
    await page.getByRole('button', { name: /^Acknowledge these \d+$/ }).click();
    await page.getByText(/^You look after \d+ alerts\.$/).waitFor();
    await page.getByRole('link', { name: '0 open alerts' }).waitFor();

    await page.getByRole('link', { name: 'Rules and targets' }).click();
    await page.getByRole('button', { name: 'Silence nights' }).click();
    expect(await dialog(page).getByRole('button', { name: 'Silence', exact: true }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('For how long').selectOption('For one hour');
    await dialog(page).getByLabel('Reason').fill('migration');
    expect(await listBarriersOfDialog(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Silence', exact: true }).click();
    await page.getByText('nights is silent.').waitFor();
    const row = page.getByRole('row', { name: /^nights/ });
    await row.getByText(/of all until .*: migration/).waitFor();
    await row.getByRole('button', { name: 'Let nights tell again' }).click();
    await page.getByText('nights tells again.').waitFor();
    await row.getByText(/: migration/).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('that do not arrive are listed, and sent again', async () => {
    const { database } = system();
    const [{ id } = { id: '' }] = await read<StoredTarget[]>('notification-targets');
    await insertDelivery(database.pool, { target: id, isDead: true });
    await database.pool.query("UPDATE notification_targets SET disabled_at = now(), disabled_because = 'it is gone'");
    const { page, faults } = await show('/alerts/rules?view=targets');
    await page.getByText('disabled', { exact: true }).waitFor();
    await page.getByText('it is gone').waitFor();
    await page.getByRole('link', { name: '1 given up' }).click();
    const row = page.getByRole('row', { name: /HTTP 500/ });
    await row.getByRole('button', { name: /^Send again: / }).click();
    await page.getByText('It is sent to on-call again.').waitFor();
    await page.getByRole('heading', { name: 'No message was given up' }).waitFor();
    expect(await read<Delivery[]>('notification-deliveries?state=dead')).toEqual([]);
    expect(faults).toEqual([]);
  });
});
