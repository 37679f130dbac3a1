import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredBudget } from '@agp/budgets';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, agp, done, refused, readJson } = useCliSystem();

let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agp-budgets-'));
  await done('agents label worker team=sales');
});
afterEach(async () => {
  for (const { id } of await list()) await done(`budgets delete ${id}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const list = (): Promise<StoredBudget[]> => readJson('budgets list');
const find = async (name: string) => (await list()).find(({ budget }) => budget.name === name) as StoredBudget;

const monthly = (amount: number, window = 'month') =>
  writeFileSync(
    file('monthly.yaml'),
    `# Agreed with sales in October.
name: sales-monthly
match: { labels: { team: [sales], owner: ["*"] }, agents: [worker], tags: [default] }
amount: ${amount}
window: ${window}
thresholds: [80, 100]
---
name: each-agent
split_by: agent
unit: requests
amount: 4
window: total
on_exceeded: observe
`,
  );

test('budgets go from files to storage and back; the effect is shown before', async () => {
  monthly(500);
  writeFileSync(file('tokens.json'), JSON.stringify({ name: 'tokens', unit: 'tokens', amount: 9000, window: 'day' }));
  const { tokens } = (await system().database.pool.query('SELECT sum(total_tokens)::integer AS tokens FROM events'))
    .rows[0];
  const effects = [
    /budget sales-monthly created\n {2}counts 0 agents\n {2}since \d{4}-\d\d-01 00:00:00Z: 0\.00 USD of 500\.00 USD\n/,
    /budget each-agent created\n {2}counts 1 agent: worker\n {2}in all time: 1 agent used worker 4 requests of 4 requests, 1 used up already\n/,
    new RegExp(`budget tokens created\n {2}counts 1 agent: worker\n {2}since .*Z: ${tokens} tokens of 9,000 tokens\n`),
  ];
  const dry = (await done(`budgets apply -f ${folder} --dry-run`)).replaceAll(' (dry run)', '');
  expect(await done('budgets list')).toBe('');
  expect((await agp(`budgets diff -f ${folder}`)).code).toBe(1);
  const made = await done(`budgets apply -f ${folder} --reason start`);
  for (const effect of effects) for (const told of [dry, made]) expect(told).toMatch(effect);
  expect(await done(`budgets apply -f ${folder}`)).toBe(
    'budget sales-monthly unchanged\nbudget each-agent unchanged\nbudget tokens unchanged\n',
  );
  writeFileSync(file('tokens.yaml'), `# of nights\n${await done('budgets get tokens')}`);
  rmSync(file('tokens.json'));
  expect(await done(`budgets apply -f ${file('tokens.yaml')}`)).toMatch(/^budget tokens configured; from the next/);
  expect(await done('budgets get tokens')).toMatch(/^# of nights\n/);
  expect(await done(`budgets diff -f ${folder}`)).toBe('');
  const cost = { name: 'c', split_by: 'label:cost', amount: 1, window: 'day', match: { agents: ['worker', 'wroker'] } };
  writeFileSync(file('cost.json'), JSON.stringify(cost));
  const { stdout, stderr } = await agp(`budgets apply -f ${file('cost.json')} --dry-run`);
  expect(stdout).toMatch(/ {2}counts 0 agents\n.*Z: nothing of 1\.00 USD\n/);
  expect(stderr).toBe('warning: no agent that was seen is named wroker: misspelt?\n');

  const shown = await done('budgets list');
  expect(shown).toMatch(/^each-agent +every request; each agent: worker +4 requests +total +100 % .* observe$/m);
  expect(shown).toMatch(/^sales-monthly +agent worker, team sales, owner \*, tag default +500\.00 USD +month +0 % /m);
  const [head, first] = (await done('budgets list --csv')).split('\r\n');
  expect(head).toBe('budget,whom,key,unit,amount,used,percent,held,left,expected,window,zone,from,to,on_exceeded');
  expect(first).toMatch(
    /^each-agent,every request; each agent: worker,agt_\w+,requests,4,4,100,0,0,,total,UTC,,,observe$/,
  );
});

test('a change says when it holds; what somebody else changed meanwhile is left alone; prune deletes what no file names', async () => {
  monthly(500);
  await done(`budgets apply -f ${file('monthly.yaml')}`);
  const epoch = async () =>
    (await system().database.pool.query("SELECT epoch FROM budgets WHERE name = 'sales-monthly'")).rows[0].epoch;
  monthly(600);
  expect(await done(`budgets apply -f ${file('monthly.yaml')}`)).toMatch(
    /^budget sales-monthly configured, amount 500 -> 600; from the next request on\n/,
  );
  expect(await epoch()).toBe(1);
  monthly(600, 'week');
  expect(await done(`budgets apply -f ${file('monthly.yaml')}`)).toMatch(
    /^budget sales-monthly configured, window month -> week; counted anew from the records\n/,
  );
  expect(await epoch()).toBe(2);

  monthly(700, 'week');
  const { id, budget } = await find('sales-monthly');
  const real = fetch;
  const meanwhile = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (init?.method === 'PUT' && new Headers(init.headers).has('if-match')) {
      const body = JSON.stringify({ ...budget, amount: 650 });
      const headers = { authorization: `Bearer ${system().apiKey}`, 'content-type': 'application/json' };
      expect(
        (await real(`${system().management.url}/api/v1/budgets/${id}`, { method: 'PUT', headers, body })).status,
      ).toBe(200);
    }
    return real(url, init);
  });
  await refused(`budgets apply -f ${file('monthly.yaml')}`, 1, /^budget sales-monthly: somebody changed it meanwhile/);
  meanwhile.mockRestore();
  expect((await find('sales-monthly')).budget.amount).toBe(650);

  writeFileSync(file('one.yaml'), 'name: one\namount: 1\nwindow: session\nsplit_by: session\n');
  expect(await done(`budgets apply -f ${file('one.yaml')} -f ${file('monthly.yaml')} --prune`)).not.toContain(
    'deleted',
  );
  expect(await done(`budgets apply -f ${file('one.yaml')} --prune`)).toBe(
    'budget one unchanged\nbudget each-agent deleted\nbudget sales-monthly deleted\n',
  );
});

test('explain and the refusal name the same budget', async () => {
  const { requests } = (await system().database.pool.query('SELECT count(*)::integer AS requests FROM events')).rows[0];
  const budgets = [
    { name: 'a-wide', amount: 1_000, window: 'total' },
    { name: 'b-free', unit: 'tokens', amount: 1, window: 'day', on_exceeded: 'warn' },
    { name: 'c-count', unit: 'requests', amount: requests + 1, window: 'total', match: { models: ['gpt-4*'] } },
    { name: 'd-other', amount: 0, window: 'day', match: { models: ['claude-*'] } },
  ];
  for (const budget of budgets)
    writeFileSync(file('them.json'), JSON.stringify(budget)) ?? (await done(`budgets apply -f ${file('them.json')}`));
  const explain = () => done('budgets explain --agent worker --model gpt-4o');
  const before = await explain();
  expect(before).not.toContain('d-other');
  expect(before).toMatch(/^b-free .* warn$/m);
  expect(before).toContain('would refuse first: a-wide, a request that may take more than 1,000.00 USD; c-count');
  expect(before).toMatch(/; c-count, after 1 request\n$/);
  expect((await send('worker')).headers.get('x-agp-budget-warning')).toBe('b-free');
  await waitFor('the event', async () => /c-count refuses it: it is used up\n$/.test(await explain()));
  const spent = await send('worker');
  expect([spent.status, spent.headers.get('x-budget-name')]).toEqual([429, 'c-count']);

  await done('budgets set worker 0');
  expect(await explain()).toMatch(/the daily cap of this agent refuses it: it is used up until .* 00:00:00Z\n$/);
  expect((await send('worker')).headers.get('x-error-code')).toBe('agent_budget_exceeded');
  await done('budgets set worker none');
  expect(await done('budgets explain --agent worker --model o3')).not.toContain('c-count');
  await refused('budgets get nobody', 1, /^no budget is named nobody; "budgets list" shows all budgets/);
});
