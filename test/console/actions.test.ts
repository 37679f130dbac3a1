import type { ListedAgent } from '@agp/core/contracts';
import { answerCanned } from '@agp/testing/providers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const confirm = (page: Page, verb: string) => dialog(page).getByRole('button', { name: verb, exact: true }).click();

inBrowser('what operators do in the console', () => {
  const { show, send, system, provider } = useConsole();

  const readAgent = async (name: string) => {
    const agents = await system().api<ListedAgent[]>(`/api/v1/agents?expand=usage&search=${name}`);
    return agents.find((agent) => agent.name === name);
  };
  /** The screens show what is recorded, a moment after the answer. */
  const recorded = (name: string, requests: number) =>
    expect.poll(async () => (await readAgent(name))?.requests_today).toBe(requests);

  test('a block says what it ends, ends it, and is in the audit log with its reason', async () => {
    provider().handle(answerCanned({ pauseMs: 100, words: Array.from({ length: 3_000 }, () => ' word') }));
    const answer = await fetch(`${system().proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'runaway' },
      body: JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'go on' }] }),
    });
    const ended = answer.text().then(
      () => 'cut',
      () => 'cut',
    );
    const { page, faults } = await show('/agents');
    await page.getByRole('button', { name: 'Block runaway' }).click();
    await dialog(page).getByText('Ends 1 running request.').waitFor();
    expect(await dialog(page).getByRole('banner').count()).toBe(0);
    await dialog(page).getByLabel('Reason').fill('runs in a loop');
    await confirm(page, 'Block');
    await page.getByRole('button', { name: 'Unblock runaway' }).waitFor();
    expect((await readAgent('runaway'))?.status).toBe('blocked');
    expect(await ended).toBe('cut');
    provider().handle(answerCanned());
    expect((await send('runaway')).status).toBe(403);
    await page.getByRole('link', { name: 'runaway' }).click();
    await page.getByText('status: active → blocked').waitFor();
    await page.getByText('“runs in a loop”').waitFor();
    const banner = page.locator('main .banner');
    await banner.filter({ hasText: /Blocked since .+ by .+: runs in a loop\./ }).waitFor();
    // The alert that tells the same is acknowledged there.
    await banner.getByRole('button', { name: /^Acknowledge agent runaway was blocked/ }).click({ timeout: 60_000 });
    await banner.getByText('acknowledged').waitFor();
    expect(await banner.count()).toBe(1);
    await page.getByRole('button', { name: 'Unblock runaway' }).click();
    await confirm(page, 'Unblock');
    await page.getByRole('button', { name: 'Block runaway', exact: true }).waitFor();
    expect((await send('runaway')).status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('the banner of a pause says who paused, why and since when', async () => {
    const pause = (paused: boolean) =>
      system().api('/api/v1/pause?reason=drill', { method: 'PUT', body: JSON.stringify({ paused }) });
    await pause(true);
    const { page, faults } = await show('/agents');
    await page
      .locator('.banner', { hasText: /All agents are paused since .+ by key bootstrap: drill\. Every/ })
      .waitFor();
    await pause(false);
    expect(faults).toEqual([]);
  });

  test('a cap is set, reached and raised', async () => {
    await send('spender');
    await recorded('spender', 1);
    const { page, faults } = await show('/budgets');
    await page.getByRole('heading', { name: 'No agent has a cap' }).waitFor();
    await page.getByLabel('Also without a cap').check();
    await page.getByRole('button', { name: 'Set cap of spender' }).click();
    await dialog(page).getByLabel('No more than an amount a day').check();
    await dialog(page).getByLabel('USD a UTC day').fill('0');
    await dialog(page).getByText('Every request is refused with 429.').waitFor();
    await confirm(page, 'Set cap');
    const row = page.getByRole('row', { name: /spender/ });
    await row.getByText('used up').waitFor();
    const refused = await send('spender');
    expect(refused.status).toBe(429);
    const id = refused.headers.get('x-request-id') ?? '';
    await expect.poll(() => system().api<unknown[]>(`/api/v1/refusals?request_id=${id}`)).toHaveLength(1);
    await show(`/find?id=${id}`);
    await page.getByText('The rest of its daily cap has no room for this request.').waitFor();
    await show('/budgets');
    await page.getByRole('button', { name: 'Change cap of spender' }).click();
    await dialog(page).getByLabel('USD a UTC day').fill('5');
    await confirm(page, 'Set cap');
    await row.getByText('$5.00').first().waitFor();
    expect((await readAgent('spender'))?.daily_cap_usd).toBe(5);
    expect((await send('spender')).status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('what somebody else changed since a dialog was opened is kept, or replaced by who says so', async () => {
    const put = (path: string, body: object) =>
      system().api(`/api/v1/${path}`, { method: 'PUT', body: JSON.stringify(body) });
    await send('contested');
    await recorded('contested', 1);
    const { id = '' } = (await readAgent('contested')) ?? {};
    const key = await system().api<{ id: string }>('/api/v1/keys', {
      method: 'POST',
      body: JSON.stringify({ name: 'contested key', scopes: ['read'] }),
    });
    const dialogs = [
      [
        'Set cap of contested',
        'USD a UTC day',
        '5',
        () => put(`budgets/agents/${id}`, { daily_cap_usd: 7 }),
        'cap usd: 7',
      ],
      [
        'Set limit of contested',
        'Requests a minute',
        '5',
        () => put(`limits/agents/${id}`, { requests_per_minute: 7 }),
        'per minute: 7',
      ],
      [
        'Labels of contested',
        'Team',
        'mine',
        () => put(`agents/${id}`, { labels: { team: 'theirs' } }),
        'team: theirs',
      ],
      ['Block contested', 'Reason', 'loop', () => put(`agents/${id}`, { labels: { team: 'again' } }), 'team: again'],
      [
        'Rotate contested key',
        'Reason',
        'leak',
        () => system().api(`/api/v1/keys/${key.id}/rotate`, { method: 'POST', body: '{}' }),
        'contested key',
      ],
    ] as const;
    const { page, faults } = await show(`/agents/${id}`);
    for (const [button, field, value, changeMeanwhile, theirs] of dialogs) {
      await show(button.startsWith('Rotate') ? '/keys' : `/agents/${id}`);
      await page.getByRole('button', { name: button, exact: true }).click();
      await changeMeanwhile();
      await dialog(page).getByRole('textbox', { name: field }).fill(value);
      await dialog(page).locator('button[type=submit]').click();
      const banner = dialog(page).getByRole('alert');
      await banner.getByText('Somebody changed it meanwhile.').waitFor();
      expect(await banner.textContent(), button).toContain(theirs);
      if (button.startsWith('Set')) {
        await dialog(page).getByRole('button', { name: 'Keep theirs' }).click();
        continue;
      }
      await dialog(page)
        .getByRole('button', { name: / anyway$/ })
        .click();
      await dialog(page).getByText('Somebody changed it meanwhile.').waitFor({ state: 'detached' });
    }
    await page.getByTestId('secret').waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    // The browser's own words for an answer of 409.
    expect(faults.splice(0).filter((fault) => !/status of 409/.test(fault))).toEqual([]);
    expect(await readAgent('contested')).toMatchObject({
      ...{ status: 'blocked', daily_cap_usd: 7, requests_per_minute: 7, metadata: { team: 'again' } },
    });
  });

  test('what was done is said in a sentence, and taken back by a press', async () => {
    await send('regretted');
    await recorded('regretted', 1);
    const { id = '' } = (await readAgent('regretted')) ?? {};
    const { page, faults } = await show(`/agents/${id}`);
    const read = async () => {
      const { status, metadata, daily_cap_usd, requests_per_minute } = (await readAgent('regretted')) as ListedAgent;
      return { status, metadata, daily_cap_usd, requests_per_minute };
    };
    const before = await read();
    for (const [button, field, value, said] of [
      ['Set cap of regretted', 'USD a UTC day', '5', 'The cap of regretted is $5.00 a day.'],
      ['Set limit of regretted', 'Requests a minute', '5', 'The limit of regretted is 5 a minute.'],
      ['Labels of regretted', 'Team', 'ops', 'Labels of regretted are saved.'],
      ['Block regretted', 'Reason', 'a mistake', 'regretted is blocked.'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await dialog(page).getByRole('textbox', { name: field }).fill(value);
      await dialog(page).locator('button[type=submit]').click();
      await page.getByRole('status').filter({ hasText: said }).waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      expect(await read(), button).not.toEqual(before);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('It is as it was before.').waitFor();
      expect(await read(), button).toEqual(before);
    }
    expect(faults).toEqual([]);
  });

  test('a key is made, shown once, and signs in', async () => {
    const { page, faults } = await show('/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('night shift');
    await confirm(page, 'Make it');
    const secret = (await page.getByTestId('secret').textContent())?.trim() ?? '';
    expect(secret).toMatch(/^agm_/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /night shift/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const authorization = `Bearer ${secret}`;
    expect((await fetch(`${system().management.url}/api/v1/agents`, { headers: { authorization } })).status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('a first visit sees the first event arrive', async () => {
    const { page, faults } = await show('/start');
    await page.getByLabel('Name of the agent').fill('newcomer');
    await page.getByText('Waiting for the first event of newcomer').waitFor();
    await send('other');
    await send('newcomer');
    await page.getByText('It has arrived.').waitFor();
    await page.getByRole('button', { name: 'Block newcomer' }).waitFor();
    await page.getByRole('button', { name: 'Set cap of newcomer' }).waitFor();
    expect(faults).toEqual([]);
  });
});
