import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedEvent } from '@agp/core/contracts';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { useConsole } from './support/use-console.ts';

inBrowser('what an auditor takes along', () => {
  const { open, show, send, makeKey, system } = useConsole();

  async function makeEvent(name: string, named?: string): Promise<ListedEvent> {
    const session = (await send(name, {}, named ? { 'x-session-id': named } : {})).headers.get('x-session-id');
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

  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export evidence' });
  const folder = mkdtempSync(join(tmpdir(), 'agp-console-evidence-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Downloads what the dialog is set to, and unpacks it. */
  async function takeEvidence(page: Page, span: string): Promise<string> {
    await dialog(page).getByLabel('Time').selectOption(span);
    const begun = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Download', exact: true }).click();
    const file = await begun;
    const dir = join(folder, file.suggestedFilename().replace(/\.zip$/, ''));
    mkdirSync(join(dir, 'sessions'), { recursive: true });
    for (const [path, bytes] of Object.entries(unzipSync(await readFile(await file.path()))))
      writeFileSync(join(dir, path), bytes);
    await dialog(page).waitFor({ state: 'detached' });
    return dir;
  }

  const check = (dir: string) =>
    spawnSync(process.execPath, ['--permission', `--allow-fs-read=${dir}`, join(dir, 'verify-evidence.mjs')], {
      encoding: 'utf8',
    });

  const readFiles = (dir: string) =>
    Object.fromEntries(
      readdirSync(dir, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
    );

  /** One cell of the table becomes another, and back. */
  function expectForgeryFound(dir: string): void {
    const file = join(dir, 'events.csv');
    const csv = readFileSync(file, 'utf8');
    const forged = csv.replace(/^((?:evt|agt|ses)_.*?,response,)[^,]*/m, '$1forged');
    expect(forged).not.toBe(csv);
    writeFileSync(file, forged);
    const found = expect.stringMatching(/: model is forged in events\.csv/);
    expect(check(dir)).toMatchObject({ status: 1, stdout: found });
    writeFileSync(file, csv);
  }

  test('the evidence of an agent, as agp writes it, which its own verifier checks', async () => {
    for (const session of ['ses_along_1', 'ses_along_2']) await makeEvent('taken-along', session);
    const { page, faults } = await show('/audit');
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByPlaceholder(/^A screen/).fill('evidence taken-along');
    await page.getByRole('button', { name: /^Export evidence of taken-along/ }).click();
    await dialog(page).getByLabel('Agent', { exact: true }).and(page.locator('[value=taken-along]')).waitFor();
    const dir = await takeEvidence(page, '24h');
    await page.getByText(/^Saved evidence-taken-along-[\d-]{10}-to-[\d-]{10}\.zip: 2 events of 2 sessions/).waitFor();
    const good = /^heads: [0-9a-f]{64}\n2 events of 2 sessions: consistent: no cell, event or hash disagrees\n$/;
    expect(check(dir)).toMatchObject({ status: 0, stdout: expect.stringMatching(good) });
    const { from } = JSON.parse(readFileSync(join(dir, 'evidence.json'), 'utf8'));
    const { management, apiKey } = system();
    const beside = join(folder, 'by-agp');
    const run = await runCli(['agents', 'evidence', 'taken-along', '--from', from, '--dir', beside], {
      AGP_URL: management.url,
      AGP_API_KEY: apiKey,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(readFiles(dir)).toEqual(readFiles(beside));
    expectForgeryFound(dir);
    expect(faults).toEqual([]);
  });

  test('the evidence of a label or of all agents, found by Ctrl K, on a phone and for who may only read', async () => {
    for (const name of ['of-sales', 'of-sales-too', 'of-nobody']) {
      const { agent_id } = await makeEvent(name);
      const body = JSON.stringify({ labels: { team: 'sales' } });
      if (name !== 'of-nobody') await system().api(`/api/v1/agents/${agent_id}`, { method: 'PUT', body });
    }
    const key = await makeKey(['read'], 'auditor');
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
    const { page, context, faults } = await open('/agents?label=team=sales', { key, ...phone });
    await page.getByRole('button', { name: 'Evidence', exact: true }).click();
    await dialog(page).getByLabel('Label').and(page.locator('[value="team=sales"]')).waitFor();
    expect(await listBarriers(page, '[role=dialog]')).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    const dir = await takeEvidence(page, 'today');
    expect(dir).toMatch(/evidence-team-sales-[\d-]{10}-to-[\d-]{10}$/);
    expect(check(dir)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^2 events of 2 sessions: consistent/m),
    });
    expect(JSON.parse(readFileSync(join(dir, 'evidence.json'), 'utf8')).label).toBe('team=sales');
    expectForgeryFound(dir);
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByPlaceholder(/^A screen/).fill('export evidence');
    await page.getByRole('button', { name: /^Export evidence/ }).click();
    await page.waitForURL((url) => url.pathname === '/audit');
    expect(await dialog(page).getByLabel('Whose').inputValue()).toBe('all');
    await dialog(page).getByRole('button', { name: 'Download' }).click();
    await dialog(page).getByText('There is no event in this range: there is nothing to check.').waitFor();
    const all = await takeEvidence(page, 'today');
    expect(check(all)).toMatchObject({ status: 0 });
    const index = JSON.parse(readFileSync(join(all, 'evidence.json'), 'utf8'));
    expect([index.agents, index.label]).toEqual([null, undefined]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('evidence can be cancelled, and beyond what a page can keep there is the command that writes it', async () => {
    const event = await makeEvent('too-much');
    const { page, faults } = await show('/audit');
    const download = async () => {
      await page.getByRole('button', { name: 'Evidence', exact: true }).click();
      await dialog(page).getByLabel('Time').selectOption('today');
      await dialog(page).getByRole('button', { name: 'Download', exact: true }).click();
    };
    let isCancelled = false;
    page.on('requestfailed', (request) => (isCancelled ||= request.url().includes('/lineage/')));
    await page.route('**/api/v1/lineage/**', () => undefined);
    await download();
    await dialog(page)
      .getByRole('status')
      .filter({ hasText: /^Read: [\d,]+ events? of [\d,]+ sessions? …$/ })
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(() => isCancelled).toBe(true);
    await page.unroute('**/api/v1/lineage/**');
    await page.route('**/api/v1/events?**', (route) => {
      const at = Number(new URL(route.request().url()).searchParams.get('at'));
      const json = Array.from({ length: 1_000 }, (_, each) => ({ ...event, session_id: `ses_${at}_${each}` }));
      const headers = { link: `</api/v1/events?at=${at + 1}>; rel="next"` };
      return route.fulfill({ json, headers });
    });
    await download();
    const command = /^AGP_API_KEY=\$KEY agp agents evidence --all --from 2\S+ --dir evidence --url http\S+$/;
    await dialog(page).getByText(command).waitFor();
    await dialog(page).getByText('More than 5,000 sessions or 200 MB are too much for a page.').waitFor();
    await page.unroute('**/api/v1/events?**');
    await page.keyboard.press('Escape');
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
