import { expect, test } from 'vitest';
import { inBrowser } from './support/in-browser.ts';
import { editor, write } from './support/policy-editor.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('the form of policies', () => {
  const { show } = useConsole();

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
    await own.getByLabel('Name').fill('email');
    await own.getByLabel('Pattern').fill('\\bKD-[0-9]{8}\\b');
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
      .toMatch(/response: +contact: redact +email: flag.*restore: true.*customer_no: redact/s);
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
});
