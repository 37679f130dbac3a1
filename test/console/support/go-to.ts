import type { Page } from 'playwright-core';

/** Shows another screen as a link within the page does, which is much cheaper than to load the page anew. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`window.history.pushState({}, '', ${JSON.stringify(path)})`);
  const [pathname = ''] = path.split('?');
  await page.waitForURL((url) => url.pathname === pathname);
}
