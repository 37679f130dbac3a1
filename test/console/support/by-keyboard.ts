import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const named = { Enter: true, Backspace: true };
export const dialog = (page: Page) => page.getByRole('dialog');

/** By Tab to a control, as somebody does who has no mouse. */
async function tabTo(page: Page, name: string): Promise<void> {
  const isThere = () =>
    page.evaluate<boolean>(
      `((each) => [each.getAttribute('aria-label'), each.labels?.[0]?.textContent.replace(' *', ''), each.textContent].includes(${JSON.stringify(name)}))(document.activeElement)`,
    );
  for (let presses = 0; presses < 150 && !(await isThere()); presses += 1) await page.keyboard.press('Tab');
  expect(await isThere(), name).toBe(true);
}

/** Fills fields by keyboard alone, in their order; a letter chooses in a list. */
export async function type(
  page: Page,
  fields: readonly (readonly [name: string, keys: readonly string[]])[],
): Promise<void> {
  for (const [name, keys] of fields) {
    await tabTo(page, name);
    for (const key of keys) await (key in named ? page.keyboard.press(key) : page.keyboard.type(key));
  }
}

/** Presses a button by Enter, once it can be. */
export async function press(page: Page, name: string): Promise<void> {
  await expect.poll(() => page.getByRole('button', { name, exact: true }).isEnabled()).toBe(true);
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}
