import type { Page } from 'playwright-core';

export const editor = (page: Page) => page.getByRole('textbox', { name: 'The policy in YAML' });

/** Replaces all of the text, without the editor's own brackets and indents. */
export async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}
