import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { editor, write } from './support/policy-editor.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('the form of policies', () => {
  const { show, open } = useConsole();

  test('say where calls may go in the form, and show what of a text is found and sent', async () => {
    const { page, faults } = await show('/policies/_new');
    const goes = page.locator('details', { has: page.locator('summary', { hasText: 'Where it goes' }) });
    await goes.locator('summary').click();
    await goes.getByLabel('Not kept by the provider').check();
    await expect.poll(() => editor(page).textContent()).toContain('where:  store: false');
    await goes.getByLabel('Not kept by the provider').uncheck();
    await expect.poll(() => editor(page).textContent()).not.toContain('where:');
    await page.getByLabel('Begin from').selectOption('Cards never leave');
    await expect
      .poll(() => editor(page).textContent())
      .toMatch(/^name: cards-stay.*pii: +request: +payment_card: block/s);
    await page.getByLabel('payment card in requests').waitFor();
    await page.getByLabel('payment card in requests').selectOption('–');
    await expect.poll(() => editor(page).textContent()).not.toContain('pii:');
    await page.getByLabel('contact in answers').selectOption('redact');
    await page.getByLabel('Another kind').selectOption('email');
    await page.getByLabel('email in answers').selectOption('flag');
    await page.getByRole('button', { name: 'Add a pattern of your own' }).click();
    const own = page.getByRole('group', { name: 'A pattern of your own' });
    const add = own.getByRole('button', { name: /^Add, / });
    await own.getByLabel('Name').fill('Customer number');
    await add.click();
    await own.getByText('Its name: small letters, digits and _').waitFor();
    await own.getByLabel('Name').fill('email');
    await own.getByLabel('Pattern').fill('\\bKD-[0-9]{8}\\b');
    await add.click();
    await own.getByText('Give an example that it must find').waitFor();
    await own.getByText('One example a line that it must find').waitFor();
    await own.getByLabel('Matches').fill('KD-12345678');
    await own.getByLabel('Ignores').fill('KD-123456789');
    await own.getByRole('button', { name: /^Add, / }).click();
    await own.getByText('is the name of a type or group').waitFor();
    await own.getByLabel('Name').fill('customer_no');
    await own.getByLabel('Pattern').fill('\\bKD-[0-9]{9}\\b');
    await own.getByRole('button', { name: /^Add, / }).click();
    await own.getByText('does not hold what `pattern` matches').waitFor();
    await own.getByLabel('Pattern').fill('\\bKD-[0-9]{8}\\b');
    await own.getByRole('button', { name: /^Add, / }).click();
    await page.getByLabel('customer no in requests').waitFor();
    await page.getByLabel('Restore').check();
    await expect
      .poll(() => editor(page).textContent())
      .toMatch(/customer_no: redact +response: +contact: redact +email: flag +patterns:.*restore: true/s);
    await page.getByLabel('customer no in requests').selectOption('–');
    await expect.poll(() => editor(page).textContent()).not.toMatch(/customer_no|request:|restore: true/);
    await expect.poll(() => editor(page).textContent()).toMatch(/response: +contact: redact +email: flag/);
    await write(page, 'name: data\npii: { request: { email: redact, phone: block } }\nwhere: { geo: [eu] }\n');
    expect(await page.getByLabel('phone in requests').inputValue()).toBe('block');
    await page.getByRole('textbox', { name: 'A text' }).fill('Write to ada@example.com.');
    await page.getByRole('button', { name: 'Show what is sent' }).click();
    await page.getByText('Write to [email xxxxx1].', { exact: true }).waitFor();
    await page.getByText('email: 1 time, redact').waitFor();
    await page.getByRole('textbox', { name: 'A text' }).fill('Call +49 30 901820.');
    await page.getByText('It was changed since').waitFor();
    await page.getByRole('button', { name: 'Show what is sent' }).click();
    await page.getByText('denied by policy data (rule pii.request): its texts hold phone').waitFor();
    // Patterns that management refuses.
    expect(faults.filter((fault) => !/status of 400/.test(fault))).toEqual([]);
  });

  test('saves nothing while a field holds what may not be', async () => {
    const { page, context, faults } = await open('/policies/_new');
    const who = page.locator('details', { has: page.locator('summary', { hasText: 'Who it is for' }) });
    const labels = who.getByLabel('Labels').first();
    await who.locator('summary').click();
    await labels.fill('prod');
    await page.getByLabel('Name', { exact: true }).fill('for-all');
    await page.getByRole('status').getByText('Labels: A label is such as team=sales').waitFor();
    await who.locator('summary').click();
    await page.getByRole('button', { name: 'Save for-all' }).click();
    const save = page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await who.locator('summary').click();
    await labels.press('Backspace');
    await page.getByRole('button', { name: 'Save for-all' }).click();
    expect(await save.isEnabled()).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('keeps what is changed while a pattern is checked, and what nobody took away', async () => {
    const { page, context, faults } = await open('/policies/_new');
    const said = () => expect.poll(() => editor(page).textContent());
    const set = (field: string, to: string) => page.getByLabel(field, { exact: true }).selectOption(to);
    await page.getByLabel('Begin from').selectOption('people-as-labels');
    for (const kind of ['contact', 'identity', 'payment']) await set(`${kind} in requests`, '–');
    await said().not.toContain('pii:');
    for (const kind of ['email', 'iban']) {
      await page.getByLabel('Another kind').selectOption(kind);
      await set(`${kind} in requests`, 'redact');
    }
    await said().toMatch(/pii: +request: +email: redact +iban: redact +restore: true$/);
    for (const kind of ['email', 'iban']) await set(`${kind} in requests`, 'block');
    await page.getByText('Restore is off until a kind is redacted in requests').waitFor();
    await page.getByRole('button', { name: 'Add a pattern of your own' }).click();
    const own = page.getByRole('group', { name: 'A pattern of your own' });
    for (const [field, value] of Object.entries({ Name: 'no', Pattern: 'KD-[0-9]', Matches: 'KD-1', Ignores: 'KD' }))
      await own.getByLabel(field).fill(value);
    const checked = Promise.withResolvers<void>();
    await page.route('**/api/v1/policies/try', (route) => checked.promise.then(() => route.continue()));
    await own.getByRole('button', { name: /^Add, / }).click();
    await set('secrets in requests', 'block');
    checked.resolve();
    await own.waitFor({ state: 'detached' });
    await said().toMatch(/request: +email: block +iban: block +secrets: block +no: redact +restore: true +patterns:/);
    await said().not.toMatch(/replace_with|restore: false/);
    expect(faults).toEqual([]);
    await context.close();
  });
});
