import type { StoredPolicy } from '@agp/policy';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { editor, write } from './support/policy-editor.ts';
import { useConsole } from './support/use-console.ts';

const dialog = (page: Page) => page.getByRole('dialog');
async function save(page: Page, reason: string): Promise<void> {
  await page.getByRole('button', { name: /^Save / }).click();
  await dialog(page).getByLabel('Reason').fill(reason);
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
}

const text = (name: string, model: string) =>
  `name: ${name}\nmatch: { agents: [intern] }\nmodels: { allow: [${model}] }\n`;

inBrowser('policies in the console', () => {
  const { show, open, send, makeKey, system } = useConsole();
  const read = async (name: string) =>
    (await system().api<StoredPolicy[]>('/api/v1/policies?expand=hits')).find(({ policy }) => policy.name === name);

  test('are written in a form and a text, tried on the past, enforced, and seen where they decide', async () => {
    const eventId = (await send('intern')).headers.get('x-event-id') ?? '';
    await expect
      .poll(() =>
        system()
          .api(`/api/v1/events/${eventId}`)
          .catch(() => null),
      )
      .not.toBeNull();
    const { page, faults } = await show('/policies');
    await page.getByRole('heading', { name: 'No policy yet' }).waitFor();
    await page.getByRole('link', { name: 'Make the first one' }).click();
    const part = (name: string) => page.locator('details', { has: page.locator('summary', { hasText: name }) });
    const fill = async (name: string, field: Locator, value: string) => {
      if ((await part(name).getAttribute('open')) === null) await part(name).locator('summary').click();
      await field.fill(value);
      await field.press('Enter');
    };
    await page.getByLabel('Name', { exact: true }).fill('interns');
    await fill('Models', part('Models').getByLabel('Only these'), 'gpt-5-*-mini');
    await part('Models').getByText('may hold * at its end alone').waitFor();
    await page.keyboard.press('Backspace');
    await fill('Models', part('Models').getByLabel('Only these'), 'gpt-5-mini');
    await fill('Who', part('Who').getByRole('group', { name: 'But not' }).getByLabel('Labels'), 'team=build');
    await fill('Limits', part('Limits').getByLabel('Most tokens'), '2000');
    await part('Limits').getByLabel('Beyond').selectOption('lower');
    await part('Hours').locator('summary').click();
    for (const day of ['Mon', 'Tue', 'Fri']) await part('Hours').getByText(day, { exact: true }).click();
    await part('Hours').getByLabel('Time zone').selectOption('Europe/Berlin');
    const lines = () => editor(page).locator('.cm-line').allTextContents();
    const said = [
      'name: interns',
      'mode: observe # then warn, then enforce',
      'models:',
      '  allow:',
      '    - gpt-5-mini',
    ];
    const forWhom = ['match:', '  not:', '    labels:', '      team:', '        - build'];
    const limits = ['limits:', '  max_output_tokens: 2000', '  over: lower'];
    const hours = ['hours:', '  allow: Mon-Tue 08:00-18:00, Fri 08:00-18:00', '  zone: Europe/Berlin', ''];
    await expect.poll(lines).toEqual([...said, ...forWhom, ...limits, ...hours]);
    await part('Limits').getByLabel('Most tokens').fill('');
    await expect.poll(lines).toEqual([...said, ...forWhom, ...hours]);

    const tab = page.getByRole('radio', { name: 'Text' });
    expect(await tab.isVisible()).toBe(false);
    await write(
      page,
      'name: interns\nexceptions: []\nhours: { allow: "Mon 08:00-12:00, Tue 09:00-12:00", zone: UTC }\n',
    );
    await page.getByText('Exceptions stand in the text and, once stored, in the list below.').waitFor();
    expect(
      await part('Hours')
        .getByLabel('From')
        .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value)),
    ).toEqual(['08:00', '09:00']);
    await part('Hours').getByRole('button', { name: 'More hours' }).click();
    await part('Hours').getByRole('group', { name: 'Days of hours 3' }).getByText('Sun', { exact: true }).click();
    await expect
      .poll(async () => (await lines()).join('\n'))
      .toMatch(/allow: "?Mon 08:00-12:00, Tue 09:00-12:00, Sun 08:00-18:00/);
    await part('Hours').getByRole('button', { name: 'Remove hours 2' }).click();
    await expect.poll(async () => (await lines()).join('\n')).toMatch(/allow: "?Mon 08:00-12:00, Sun 08:00-18:00/);
    await part('Hours').getByRole('button', { name: 'Remove hours 2' }).click();
    await part('Hours').getByRole('button', { name: 'Remove hours 1' }).click();
    await expect.poll(async () => (await lines()).join('\n')).not.toContain('hours:');
    expect(await part('Hours').getByRole('button', { name: 'Remove hours 1' }).count()).toBe(0);
    await write(page, 'name: interns\nmodle: x\n');
    await page.getByText('Mend the text first').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    await page.getByText('Line 2: modle: no such member here').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await page.keyboard.insertText('mod');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'models' }).waitFor();
    await page.keyboard.press('Escape');

    await write(page, 'name: interns\nmatch: { not: { agents: [build-*] } }\nmodels: { allow: [gpt5-mini] }\n');
    await page.getByText('under AGENT_IDENTITY=open anybody may take or leave').waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('models: gpt5-mini', { exact: true }).waitFor();
    await write(page, text('interns', 'gpt-5-mini'));
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Would have refused, changed or cut 1 request of 1 agent').waitFor();
    await page.getByText(/from \d+ \w+, [\d:]+ to \d+ \w+, [\d:]+,/).waitFor();
    expect(await page.locator('.hour-bars > span').count()).toBeGreaterThan(7 * 12);
    const example = page.getByRole('table', { name: 'Examples' }).getByRole('link').first();
    expect(await example.getAttribute('href')).toBe(`/events/${eventId}`);

    await save(page, 'for the new team');
    await page.getByRole('heading', { level: 1, name: /^interns/ }).waitFor();
    await page.getByText('+mode: observe').waitFor();
    expect((await send('intern')).status).toBe(200);
    await expect.poll(async () => (await read('interns'))?.hits).toMatchObject({ refused: 0, noted: 1 });

    await page.getByRole('button', { name: 'Switch to enforce' }).click();
    await dialog(page).getByText('what it does not allow is refused (403)').waitFor();
    await dialog(page)
      .getByText(/^Since it was made, .* it refused 0: models 1 noted\. What it noted it would then refuse or change/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Switch to enforce' }).click();
    await page.getByText('-mode: observe').waitFor();
    const refused = await send('intern');
    expect(refused.status).toBe(403);
    await expect.poll(async () => (await read('interns'))?.hits?.refused).toBe(1);
    await show(`/find?id=${refused.headers.get('x-request-id')}`);
    await page.getByText('See policy interns').waitFor();
    await page.getByRole('link', { name: 'interns' }).click();
    await editor(page).getByText('enforce').waitFor();

    await page.getByRole('button', { name: 'Delete interns' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No policy yet' }).waitFor();
    expect((await send('intern')).status).toBe(200);
    expect(faults).toEqual([]);
  });

  test('say so if a name is taken, and if somebody else changed what one writes', async () => {
    const make = (name: string) =>
      system().api<StoredPolicy>('/api/v1/policies', { method: 'POST', body: JSON.stringify({ name }) });
    await make('taken');
    const { id } = await make('shared');
    const { page, faults } = await show('/policies/shared');
    await write(page, text('taken', 'gpt-4o'));
    await save(page, 'renamed');
    await dialog(page).getByRole('alert').getByText('policy_name_taken').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    const body = JSON.stringify({ name: 'shared', refusal: 'theirs' });
    await system().api(`/api/v1/policies/${id}`, { method: 'PUT', body });
    await write(page, text('shared', 'gpt-4o'));
    const version = (number: number) => page.getByText(`It was changed to version ${number} meanwhile.`).waitFor();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await version(2);
    expect(await page.getByRole('button', { name: 'Take both' }).count()).toBe(0);
    await press('Drop mine');
    await editor(page).getByText('theirs').waitFor();

    // What is open for long is saved over nothing, and other lines of both are kept.
    const policy = (refusal: string, mode = 'observe') =>
      `name: shared\nmode: ${mode} # kept\nmatch: {}\nunreadable: refuse\nrunning: finish\nrefusal: ${refusal}\n`;
    await write(page, policy('theirs', 'warn'));
    await page.getByRole('button', { name: 'Save shared' }).click();
    const again = JSON.stringify({ name: 'shared', refusal: 'again' });
    await system().api(`/api/v1/policies/${id}`, { method: 'PUT', body: again });
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    await version(3);
    await press('Take both');
    await save(page, 'both');
    await expect.poll(async () => (await read('shared'))?.policy).toMatchObject({ mode: 'warn', refusal: 'again' });
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    await dialog(page).getByText('-refusal: again').waitFor();
    await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
    await expect.poll(async () => (await read('shared'))?.policy).toMatchObject({ mode: 'observe', refusal: 'theirs' });
    expect((await read('shared'))?.text).toContain('mode: observe # kept\n');

    await page.getByRole('button', { name: 'Switch to warn' }).click();
    const late = JSON.stringify({ name: 'shared', refusal: 'late' });
    await system().api(`/api/v1/policies/${id}`, { method: 'PUT', body: late });
    await dialog(page).getByRole('button', { name: 'Switch to warn' }).click();
    await dialog(page).getByText('+refusal: late').waitFor();
    await dialog(page).getByRole('button', { name: 'Switch to warn anyway' }).click();
    await expect.poll(async () => (await read('shared'))?.policy).toMatchObject({ mode: 'warn', refusal: 'late' });

    await write(page, policy('unsaved'));
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Stay' }).click();
    await editor(page).getByText('unsaved').waitFor();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Leave, and drop it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    faults.length = 0;
  });

  test('let an agent past for a time, until somebody ends it', async () => {
    const body = JSON.stringify({
      name: 'walled',
      mode: 'enforce',
      match: { agents: ['guest'] },
      models: { allow: [] },
    });
    await system().api('/api/v1/policies', { method: 'POST', body });
    expect((await send('guest')).status).toBe(403);
    const { page } = await show('/policies/walled');
    await page.getByRole('button', { name: 'Add an exception' }).click();
    await dialog(page).locator('input:focus').waitFor();
    await page.keyboard.insertText('guset');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('No agent was seen as guset: misspelt?').waitFor();
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText('inter');
    await page.getByRole('option', { name: 'intern', exact: true }).waitFor();
    for (const _ of 'inter') await page.keyboard.press('Backspace');
    await page.keyboard.insertText('guest');
    await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('a demonstration');
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('table', { name: 'Exceptions' }).getByRole('row', { name: /guest .*a demonstration/ });
    await row.waitFor();
    const passed = await send('guest');
    expect(passed.status).toBe(200);
    await show(`/agents/${passed.headers.get('x-agent-id')}`);
    await page.getByText(/exception from all its rules until .*a demonstration/).waitFor();
    await show('/policies');
    await page.getByRole('row', { name: /walled.* 1, until/ }).waitFor();
    const all = page.getByRole('table', { name: 'Exceptions of all policies' });
    await all.getByRole('row', { name: /^walled agent guest .*a demonstration/ }).waitFor();
    await show('/policies/walled');
    await row.getByRole('button', { name: 'End the exception for agent guest' }).click();
    await page.getByText('The rules of walled hold again for agent guest.').waitFor();
    await page.getByText('None: it holds for all that it matches.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.getByRole('button', { name: 'End the exception for agent guest' }).click();
    await page.getByText('None: it holds for all that it matches.').waitFor();
    expect((await send('guest')).status).toBe(403);
  });

  test('are read, not written, by who may only read', async () => {
    await system().api('/api/v1/policies', { method: 'POST', body: JSON.stringify({ name: 'read-only' }) });
    const { page, context, faults } = await open('/policies/read-only', { key: await makeKey(['read'], 'reader') });
    await page.getByText('name: read-only', { exact: false }).first().waitFor();
    expect(await editor(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^(?:Save|Switch|Delete)/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('It would have refused, changed or cut nothing').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('are made by keyboard alone: by the form, from the list to the saved policy', async () => {
    const { page, faults } = await show('/policies/_new');
    const { keyboard } = page;
    const tabTo = async (field: Locator, key = 'Tab') => {
      await field.waitFor();
      for (let at = 0; at < 100; at += 1) {
        if (await field.evaluate((element) => element === element.ownerDocument.activeElement)) return;
        await keyboard.press(key);
      }
      throw new Error(`Tab does not reach ${field}`);
    };
    const part = (name: string) => page.locator('details', { has: page.locator('summary', { hasText: name }) });
    await tabTo(page.getByLabel('Name', { exact: true }));
    await keyboard.type('by-keys');
    await tabTo(page.getByLabel('Mode'));
    await keyboard.press('ArrowDown');
    await tabTo(part('Models').locator('summary'));
    await keyboard.press('Enter');
    await tabTo(part('Models').getByLabel('Only these'));
    await keyboard.type('gpt-5-mini');
    await keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: /^Save / }), 'Shift+Tab');
    await keyboard.press('Enter');
    await tabTo(dialog(page).getByLabel('Reason'));
    await keyboard.type('without a mouse');
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^by-keys/ }).waitFor();
    expect((await read('by-keys'))?.policy).toMatchObject({ mode: 'warn', models: { allow: ['gpt-5-mini'] } });
    expect(faults).toEqual([]);
  });
});
