import { afterAll, beforeAll, expect, test } from 'vitest';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { type ConsoleSystem, openConsole } from './support/open-console.ts';

/** Values that no screen offers, by the screen's address and name. */
const edited: [path: string, title: string, queries: string[]][] = [
  ['/costs', 'Costs', ['by=weather', 'by=tag,tag', 'by={"a":1}', 'by=__proto__', 'view=doors', 'from={}', 'to=[1]']],
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

inBrowser('costs, and addresses that somebody has edited', () => {
  let console: ConsoleSystem;

  beforeAll(async () => {
    console = await openConsole();
  });
  afterAll(() => console?.[Symbol.asyncDispose]());

  test('a value that a screen does not know leaves it as it is without', async () => {
    const { page, context, faults } = await console.open('/');
    for (const [path, title, queries] of edited)
      for (const query of queries) {
        await goTo(page, '/start');
        await page.getByRole('heading', { level: 1, name: 'Connect an agent' }).waitFor();
        await goTo(page, `${path}?${query}`);
        await page.getByRole('heading', { level: 1, name: title }).or(page.getByRole('alert')).first().waitFor();
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
        expect(await page.getByRole('alert').allTextContents(), `${path}?${query}`).toEqual([]);
      }
    expect(faults).toEqual([]);
    await context.close();
  });

  test('what only the API can refuse is shown as its error', async () => {
    const { page, context } = await console.open('/costs?from=2026-13-45');
    await page.getByRole('alert').getByText('from: must be a time such as').waitFor();
    await goTo(page, '/costs?from=2026-02-02&to=2026-02-01');
    await page.getByRole('alert').getByText('from: must be earlier than to').waitFor();
    await context.close();
  });
});
