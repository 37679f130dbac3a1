import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/**
 * What axe finds in a part of a page that keeps somebody out. In its own way, which opens a page for each answer, axe would take four
 * times as long; so it would if its script, which stays in a page, were loaded each time.
 */
export async function listBarriers(page: Page, part: string, rules?: string[]): Promise<string[]> {
  const isLoaded = await page.evaluate<boolean>('"axe" in window');
  const axe = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .include(part);
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  const { width } = page.viewportSize() ?? {};
  const at = `${page.url()}, ${width} wide`;
  return violations.map(({ id, impact, nodes }) => `${impact} ${id} at ${at}: ${nodes[0]?.html.slice(0, 120)}`);
}
