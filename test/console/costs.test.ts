import { readFile } from 'node:fs/promises';
import type { Agent, CostUsage, ListedEvent } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { eventually } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBills } from './demo/open-demo-console.ts';
import { readShown } from './equality/read-shown.ts';
import { money } from './equality/show-values.ts';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { listBarriers } from './support/list-barriers.ts';
import { type ConsoleSystem, openConsole } from './support/open-console.ts';

/** Values that no screen offers, by the screen's address and name. */
const edited: [path: string, title: string, queries: string[]][] = [
  [
    '/costs',
    'Costs',
    ['by=weather&view=doors', 'by=tag,tag&from={}', 'by=tag,model,agent&to=[1]', 'by={"a":1}', 'by=__proto__'],
  ],
  ['/events', 'Events', ['outcome=lost', 'from={}', 'cursor=[]', 'failed=perhaps', 'model=[1]']],
  ['/refusals', 'Refusals', ['reason={}', 'from=[]']],
  ['/sessions', 'Sessions', ['from={}', 'cursor=[]', 'agent_id={}']],
  ['/agents', 'Agents', ['status=lazy', 'order={}', 'search=[]', 'page={}']],
  ['/budgets', 'Budgets', ['page={}']],
  ['/live', 'Live', ['search={}', 'agent_id=[1]']],
  ['/audit', 'Audit log', ['action={}', 'agent_id=[]', 'from={}']],
  ['/keys', 'Keys and tokens', ['view=doors', 'view={}']],
  ['/find', 'What became of a request', ['id={}', 'id=[1]']],
];

/** One of each screen in turn: no screen follows itself, so that its heading tells that it has come. */
const inTurn = edited
  .flatMap(([path, title, queries]) => queries.map((query, turn) => ({ address: `${path}?${query}`, title, turn })))
  .toSorted((a, b) => a.turn - b.turn);

/** What is paid for: tags of teams, and models. */
const calls = [
  ['team-a', 'gpt-4o'],
  ['team-a', 'gpt-4o'],
  ['team-a', 'gpt-4o-mini'],
  ['team-b', 'gpt-4o-mini'],
] as const;

const dayMs = 86_400_000;
const dayFrom = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

inBrowser('costs, and addresses that somebody has edited', () => {
  let console: ConsoleSystem;

  beforeAll(async () => {
    console = await openConsole();
    for (const [tag, model] of calls) await console.send('biller', { model }, { 'x-compliance-tag': tag });
    await eventually(async () => {
      const { usage } = await readUsage();
      expect(usage.reduce((sum, { request_count }) => sum + request_count, 0)).toBe(calls.length);
    });
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  /** Between days around today's: midnight changes nothing. */
  const [first, last, after] = [dayFrom(-1), dayFrom(1), dayFrom(2)];
  const path = `/api/v1/costs/usage?group_by=tag,model&from=${first}&to=${after}`;
  const readUsage = () => console.system.api<CostUsage>(path);

  test('a value that a screen does not know leaves it as it is without', async () => {
    const { page, faults } = await console.show('/');
    for (const { address, title } of inTurn) {
      await goTo(page, address);
      await page.getByRole('heading', { level: 1, name: title }).or(page.getByRole('alert')).first().waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').allTextContents(), address).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

  test('a page behind the last one says so and leads back', async () => {
    const { page, faults } = await console.show('/');
    for (const [path, nouns] of [
      ['/agents', 'agents'],
      ['/budgets', 'agents'],
      ['/audit', 'entries'],
    ] as const) {
      await goTo(page, `${path}?all=true&page=900`);
      await page.getByRole('heading', { name: `No ${nouns} on this page` }).waitFor();
      await page.getByRole('button', { name: 'First page' }).click();
      await page.getByRole('table').getByRole('row').nth(1).waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('prices show their source on a laptop, however long the entry to add is', async () => {
    const unpriced = ['claude-sonnet-5 without code_executions_kcount', 'in-house-7b'];
    for (const model of unpriced)
      await console.system.database.pool.query(
        `INSERT INTO unpriced_usage VALUES ('anthropic', $1, 1, 1, 1, now(), now())`,
        [model],
      );
    const { page, faults } = await console.show('/costs?view=prices');
    await page.getByText('Some units have no price.').waitFor();
    await page.getByText('no source').waitFor();
    const wider = await page.evaluate(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.rows-scroll'))`,
    );
    expect([wider, faults]).toEqual([0, []]);
  });

  test('without a key the invoice says which to set; with bills it tells the month, on a phone and in the dark too', async () => {
    const { page, faults } = await console.show('/costs?view=invoice&month=2026-01&provider=openai');
    await page.getByText('BILLING_OPENAI_KEY').waitFor();
    await page.getByRole('heading', { name: 'Nothing is known of January' }).waitFor();
    const { pool } = console.system.database;
    await pool.query(`INSERT INTO bill_reads VALUES ('openai', now(), now() + interval '1 day', NULL)`);
    await goTo(page, `/costs?view=invoice&month=${dayFrom(0).slice(0, 7)}&provider=openai`);
    await page.getByText(/: 0\.\d+ USD recorded, and nothing billed by OpenAI\.$/).waitFor();
    await page.getByRole('heading', { name: 'No bill has anything of' }).waitFor();
    await pool.query('DELETE FROM bill_reads');
    await makeBills(console.system);
    await page.getByLabel('Provider').selectOption('all');
    const month = dayFrom(-1).slice(0, 7);
    await page.getByLabel('Month').selectOption(month);
    await page.waitForURL((url) => url.search === `?view=invoice&month=${month}`);
    await page
      .getByText(/^\d+ [A-Z][a-z]+: 1,206\.63 USD recorded, 1,242\.75 billed by OpenAI; 20\.85 did not pass here\.$/)
      .waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    expect((await download).suggestedFilename()).toBe(`invoice-${month}.csv`);
    expect(await readFile(await (await download).path(), 'utf8')).toContain(',gpt-4o,2.125,2,-0.125,');
    const { width = 0, height = 0 } = page.viewportSize() ?? {};
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await listBarriers(page, 'html')).toEqual([]);
    }
    await page.setViewportSize({ width, height });
    expect(faults).toEqual([]);
  });

  test('what only the API can refuse is shown as its error', async () => {
    // In a tab of its own: an error that the browser reports late would be found by the next test.
    const { page, faults } = await console.open('/costs?from=2026-13-45');
    await page.getByRole('alert').getByText('from: must be a time such as').waitFor();
    await goTo(page, '/costs?from=2026-02-02&to=2026-02-01');
    await page.getByRole('alert').getByText('from: must be earlier than to').waitFor();
    for (const fault of faults) expect(fault).toContain('status of 400');
  });

  test('by tag and model, between two days, are what the API answers: the table, the file, the events behind them', async () => {
    const { page, faults } = await console.show('/costs?by=tag');
    await page.getByText('X-Compliance-Tag').waitFor();
    await page.getByLabel('and by').selectOption('Model');
    await page.getByLabel('First day').fill(first);
    await page.getByLabel('Last day').fill(last);
    await page.waitForURL((url) => url.search === `?by=tag%2Cmodel&from=${first}&to=${after}`);

    const { usage } = await readUsage();
    const rows = usage
      .toSorted((a, b) => b.total_cost_usd - a.total_cost_usd)
      .map((sum) => ({
        'Compliance tag': sum.compliance_tag,
        Model: sum.model,
        Cost: money(sum.total_cost_usd),
        Requests: formatCount(sum.request_count),
      }));
    await eventually(async () => expect((await readShown(page)).tables.Costs).toMatchObject(rows));

    for (const [button, query] of [
      ['CSV', path],
      ['CSV by day', path.replace('=tag', '=day,tag')],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: button, exact: true }).click();
      const headers = { authorization: `Bearer ${console.system.apiKey}`, accept: 'text/csv' };
      const answer = await fetch(console.url + query, { headers });
      expect(await readFile(await (await download).path(), 'utf8')).toBe(await answer.text());
    }

    await page
      .getByRole('row', { name: /^team-a gpt-4o / })
      .getByRole('link', { name: 'gpt-4o' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    expect(await page.getByLabel('First day').inputValue()).toBe(first);
    expect(await page.getByLabel('Last day').inputValue()).toBe(last);
    const events = await console.system.api<ListedEvent[]>(
      `/api/v1/events?compliance_tag=team-a&model=gpt-4o&from=${first}&to=${after}`,
    );
    expect(events.length).toBe(2);
    await page.getByRole('table', { name: 'Events' }).waitFor();
    expect((await readShown(page)).tables.Events?.length).toBe(2);
    await page.getByLabel('First day').fill('');
    await page.getByLabel('Last day').click();
    await page.waitForURL((url) => !url.searchParams.has('from') && url.searchParams.get('to') === after);
    expect(faults).toEqual([]);
  });

  test('by label are what was used since the agent had it, with a link to just these events', async () => {
    const { system } = console;
    const [agent] = await system.api<Agent[]>('/api/v1/agents?search=biller');
    await system.api(`/api/v1/agents/${agent?.id}`, { method: 'PUT', body: '{"labels":{"team":"finance"}}' });
    await console.send('biller', { model: 'gpt-4o' });
    const counted = async () => (await system.api<CostUsage>('/api/v1/costs/usage?group_by=label:team')).usage;
    await eventually(async () => expect((await counted()).length).toBe(2));
    const { page, faults } = await console.show('/costs?by=label:team');
    await page.emulateMedia({ media: 'print' });
    await page.getByText(/^By Team, UTC days from 20/).waitFor();
    await page.getByRole('columnheader', { name: 'Requests' }).getByRole('button').waitFor();
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('link', { name: 'finance', exact: true }).waitFor();
    const { Costs = [] } = (await readShown(page)).tables;
    expect(Costs.map(({ Team, Requests }) => [Team, Requests]).toSorted()).toEqual([
      ['finance', '1'],
      ['no team', `${calls.length}`],
    ]);
    expect(await page.getByLabel('By', { exact: true }).locator(':checked').textContent()).toBe('Label team');
    await page.getByRole('link', { name: 'finance', exact: true }).click();
    await page.getByRole('table', { name: 'Events' }).waitFor();
    await eventually(async () => expect((await readShown(page)).tables.Events?.length).toBe(1));
    expect(new URL(page.url()).searchParams.get('label')).toBe('team=finance');
    expect(faults).toEqual([]);
  });

  test('last week and last month stay words in the address, and their days are read from these', async () => {
    const { page } = await console.show('/costs');
    const day = (field: string) => page.getByLabel(`${field} day (UTC)`).inputValue();
    await page.getByLabel('Time').selectOption('This month');
    await page.getByText(/^\$[\d.]+ expected by the end of the month$/).waitFor();
    await page.getByRole('columnheader', { name: 'By month’s end' }).waitFor();
    await page.getByLabel('Time').selectOption('Last week (Mon–Sun)');
    await page.getByText('Nothing was used in this time').waitFor();
    expect(await page.getByText('expected by the end').count()).toBe(0);
    await page.waitForURL((url) => url.search === '?from=last-week&to=week');
    const [from, to] = [Date.parse(await day('First')), Date.parse(await day('Last'))];
    expect([new Date(from).getUTCDay(), to - from]).toEqual([1, 6 * dayMs]);
    await page.getByLabel('Time').selectOption('Last month');
    await page.waitForURL((url) => url.search === '?from=last-month&to=month');
    expect([await day('First'), await day('Last')].map((each) => each.slice(8))).toEqual([
      '01',
      expect.stringMatching(/28|29|3./),
    ]);
    expect(await page.getByLabel('Time').inputValue()).toBe('last-month');
  });
});
