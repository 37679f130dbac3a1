import type { ListedEvent, Session } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const rules = [{ name: 'all', match: { sub: ['*'] }, agent: '{sub}' }];

inBrowser('a list', () => {
  const { show, open, send, system } = useConsole();
  const recorded = <Row>(path: string, count: number) =>
    expect
      .poll(() =>
        system()
          .api<Row[]>(path)
          .catch(() => []),
      )
      .toHaveLength(count);

  test('is narrowed by values that there are; what has a name is found by it, and a verb opens its dialog', async () => {
    await send('clerk', { model: 'gpt-4o-mini' }, { 'x-session-id': 'march-close' });
    await send('clerk', {}, { 'x-session-id': 'april-close' });
    await recorded<ListedEvent>('/api/v1/events', 2);
    const { page, faults } = await show('/events');
    const model = page.getByLabel('Model', { exact: true });
    const values = page.locator(`datalist[id="${await model.getAttribute('list')}"] option`);
    await expect
      .poll(() => values.evaluateAll((all) => (all as unknown as { value: string }[]).map(({ value }) => value).sort()))
      .toEqual(['gpt-4o', 'gpt-4o-mini']);
    await model.fill('gpt-4o-mini');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);

    await recorded<Session>('/api/v1/sessions?name=march-close', 1);
    await show('/sessions?name=march-close');
    await page.getByRole('row', { name: /march-close/ }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);

    const { id = '' } = (await system().api<{ id: string }[]>('/api/v1/agents?search=clerk'))[0] ?? {};
    await system().api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ labels: { team: 'sales' } }) });
    for (const [path, body] of [
      ['policies', { name: 'no-night-work' }],
      ['notification-targets', { kind: 'webhook', name: 'on-call', url: 'https://127.0.0.1:9/' }],
      [
        'identities',
        { name: 'cluster', issuer: 'https://k8s.test', audiences: ['agp'], keys: { discovery: true }, rules },
      ],
    ] as const)
      await system().api(`/api/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });
    for (const [text, found, path] of [
      ['night', 'no-night-work Policy, observe', '/policies/'],
      ['4o-m', 'gpt-4o-mini Model', '/providers?model=gpt-4o-mini'],
      ['team=sales', 'team=sales Agents with this label', '/agents?label=team%3Dsales'],
      ['april-close', 'april-close Session of clerk', '/sessions/ses_'],
      ['spend', 'Budgets', '/budgets'],
      ['agents-fai', 'agents-failing Rule of alerts', '/alerts/rules'],
      ['on-call', 'on-call Target of alerts', '/alerts/rules?view=targets'],
      ['cluster', 'cluster Identity', '/identities'],
      ['block cle', 'Block clerk Asks before', `/agents/${id}`],
    ] as const) {
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByPlaceholder(/^A screen/).fill(text);
      const choice = page.locator('.mantine-Spotlight-action');
      await expect
        .poll(async () => (await choice.allInnerTexts()).map((each) => each.replace('\n', ' ')))
        .toEqual([found]);
      // Sessions of that name come a moment later.
      await choice.first().click();
      await page.waitForURL((url) => url.href.includes(path));
      await choice.first().waitFor({ state: 'detached' });
    }
    await page.getByRole('dialog', { name: 'Block clerk?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByPlaceholder(/^A screen/).fill('export ev');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.mantine-Spotlight-action', { hasText: 'Export Events' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('events.csv');
    expect(faults).toEqual([]);
  });

  test('is sorted by its heads, and keeps the columns that somebody chose in the browser', async () => {
    await send('archivist');
    const { page, context, faults } = await open('/agents');
    const head = page.getByRole('columnheader', { name: 'Agent' });
    await head.getByRole('button').click();
    await page.waitForURL(/order=name/);
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(() => page.locator('tbody tr').first().textContent()).toContain('archivist');
    const seen = page.getByRole('columnheader', { name: 'Last seen' });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Last seen' }).click();
    await seen.waitFor({ state: 'detached' });
    await page.reload();
    await head.waitFor();
    expect(await seen.count()).toBe(0);
    // What is whole on the page is sorted there, by a link as well.
    const first = page.getByRole('table', { name: 'Costs' }).locator('tbody tr').first();
    const model = page.getByRole('columnheader', { name: 'Model' });
    await page.goto(`${new URL(page.url()).origin}/costs?by=model&sort=-Model`);
    await first.getByText('gpt-4o-mini').waitFor();
    expect(await model.getAttribute('aria-sort')).toBe('descending');
    await model.getByRole('button').click();
    await first.getByText('gpt-4o', { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('of refusals has fifty of two lines a page and says how many there are; rows begin high on a phone', async () => {
    const rule = `office "models": ${'gpt-4.1-2025-04-14 is not allowed here, '.repeat(4)}`;
    await system().database.pool.query(
      `INSERT INTO refused_requests (id, reason, request_id, source_ip, provider, path, rule, told, count)
       SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '70008000' || lpad(n::text, 12, '0'))::uuid, 'policy_denied', 'req_' || n,
         '10.0.0.' || n, 'openai', '/openai/v1/chat/completions', $1, $1, 1 FROM generate_series(1, 120) AS n`,
      [rule],
    );
    const { page, context, faults } = await open('/refusals?reason=policy_denied');
    await page.getByText('50 of 120 refusals').waitFor();
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(50);
    const highest = 'Math.max(...[...document.querySelectorAll("tbody tr")].map((row) => row.offsetHeight))';
    expect(await page.evaluate(highest)).toBeLessThan(64);
    await page.getByRole('button', { name: /^Look/ }).first().click();
    await page.getByRole('dialog').getByText('It was told').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    // The navigation leaves in steps.
    await expect.poll(() => page.evaluate(highest)).toBeLessThan(76);
    for (const [path, heading] of [
      ['/refusals', 'Refusals'],
      ['/sessions?from=2025-10-01', 'Sessions'],
      ['/audit', 'Audit log'],
      ['/events', 'Events'],
    ] as const) {
      await goTo(page, path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await rows.first().waitFor();
      expect((await rows.first().boundingBox())?.y, path).toBeLessThan(250);
      expect((await page.locator('h1').boundingBox())?.height, path).toBeLessThan(40);
      if (heading === 'Sessions')
        expect(await page.getByLabel('First day').getAttribute('data-shown')).toBe('1 Oct 2025');
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test('of policies keeps names whole and breaks between rules', async () => {
    const { page } = await show('/policies');
    await page.getByRole('link', { name: 'no-night-work' }).waitFor();
    const style = 'getComputedStyle(document.querySelector(\'td a[href^="/policies/"]\'))';
    expect(await page.evaluate(`${style}.whiteSpace`)).toBe('nowrap');
    expect(await page.getByRole('columnheader', { name: 'Noted' }).count()).toBe(0);
  });

  test('is saved as a view, found by its name, and gone with a way back', async () => {
    const { page, faults } = await show('/refusals?reason=agent_blocked');
    const views = page.getByRole('button', { name: 'Views', exact: true });
    await views.click();
    await page.getByLabel('Save what is shown as').fill('blocked ones');
    await page.getByLabel('For all').check();
    await page.getByLabel('Save what is shown as').press('Enter');
    await page.getByText('The view blocked ones is saved for all.').waitFor();
    await show('/agents');
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByPlaceholder(/^A screen/).fill('blocked on');
    await page.locator('.mantine-Spotlight-action', { hasText: 'blocked ones' }).click();
    await page.getByRole('button', { name: 'Remove the filter Why agent_blocked' }).waitFor();
    await show('/refusals?page=2');
    await views.click();
    await page.getByRole('link', { name: 'blocked ones' }).click();
    await page.waitForURL((url) => url.search === '?reason=agent_blocked');
    await views.click();
    await page.getByRole('button', { name: 'Remove the view blocked ones' }).click();
    await page.getByText('The view blocked ones is removed.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await views.click();
    await page.getByRole('link', { name: 'blocked ones' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('shows what a row leads to beside it, and walks by keys alone', async () => {
    for (const name of ['peek-a', 'peek-b']) await send(name, {}, { 'x-session-id': name });
    await recorded<ListedEvent>('/api/v1/events?limit=2', 2);
    const { page, faults } = await show('/agents?search=peek&order=name');
    const peek = page.getByRole('dialog');
    const title = peek.getByRole('heading');
    for (const [key, seen] of [
      ['j', null],
      ['Space', 'peek-a'],
      ['j', 'peek-b'],
      ['k', 'peek-a'],
      ['Escape', null],
      ['ArrowDown', null],
      ['Space', 'peek-b'],
      ['Escape', null],
    ] as const) {
      await page.getByRole('link', { name: 'peek-b' }).first().waitFor();
      await page.keyboard.press(key);
      await (seen === null ? peek.waitFor({ state: 'detached' }) : title.filter({ hasText: seen }).waitFor());
      if (seen) await peek.getByText('requests', { exact: false }).first().waitFor();
    }
    expect(await page.evaluate('document.activeElement.textContent')).toBe('peek-b');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'peek-b' }).waitFor();
    expect(faults).toEqual([]);
  });
});
