import { readFile } from 'node:fs/promises';
import type { ListedEvent } from '@agp/core/contracts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('what an auditor takes along', () => {
  const { open, show, send, system } = useConsole();

  async function makeEvent(name: string): Promise<ListedEvent> {
    const session = (await send(name)).headers.get('x-session-id');
    const read = () => system().api<ListedEvent[]>('/api/v1/events?limit=10');
    const find = async () => (await read()).find(({ session_id }) => session_id === session);
    await expect.poll(find).toBeDefined();
    return (await find()) as ListedEvent;
  }

  const readText = async (path: string) => {
    const headers = { authorization: `Bearer ${system().apiKey}` };
    return await (await fetch(system().management.url + path, { headers })).text();
  };

  async function download(page: Page): Promise<{ name: string; text: string }> {
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the chain' }).click();
    const file = await begun;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  }

  test('chains as files, byte for byte what the API answers', async () => {
    const { session_id: id } = await makeEvent('downloaded');
    const { page, faults } = await show(`/sessions/${id}`);
    const chain = `/api/v1/lineage/${id}`;
    const lines = `${await readText(chain)}\n${await readText(`${chain}/removed`)}\n`;
    expect(await download(page)).toEqual({ name: `${id}.jsonl`, text: lines });
    await show('/audit');
    const { name, text } = await download(page);
    expect(name).toBe('audit-log.json');
    // Signing in may have come in between.
    const { entries } = JSON.parse(text) as { entries: unknown[] };
    expect(entries.length).toBeGreaterThan(0);
    const whole = JSON.parse(await readText('/api/v1/audit/chain')) as { entries: unknown[] };
    expect(whole.entries.slice(0, entries.length)).toEqual(entries);
    expect(faults).toEqual([]);
  });

  test('the audit log prints with day, time, zone and whole hashes, and says when it was printed', async () => {
    await makeEvent('printed');
    const { page, context, faults } = await open('/', { timezoneId: 'Europe/Berlin' });
    const onPaper = (query: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${query}'), '::after').content`);
    await goTo(page, '/audit');
    await page.getByRole('heading', { level: 1, name: 'Audit log', exact: true }).waitFor();
    await page.locator('main time').first().waitFor();
    await page.locator('main td .mono[data-print^=sha256]').first().waitFor();
    await page.getByRole('button', { name: 'Print', exact: true }).waitFor();
    expect(await onPaper('main time')).toBe('none');
    const before = new Date().toISOString();
    await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
    await page.emulateMedia({ media: 'print' });
    const [, printed = ''] = /\((.+) UTC\) by/.exec((await page.getByTestId('printed').textContent()) ?? '') ?? [];
    expect(`${printed.replace(' ', 'T')}Z` >= before, printed).toBe(true);
    expect(await onPaper('main time')).toMatch(/^"\d+ \w+ 2\d{3}, [\d:]{8} (?:CET|CEST|GMT\+[12])"$/);
    expect(await page.locator('main time > span').first().isVisible()).toBe(false);
    expect(await onPaper('main td .mono[data-print^=sha256]')).toMatch(/^"sha256:[0-9a-f]{64}"$/);
    expect(faults).toEqual([]);
    await context.close();
  });
});
