import type { Alert, Delivery, StoredRule } from '@agp/alerts';
import { longestWaitMs, waitFor } from '@agp/testing';
import { answerCanned } from '@agp/testing/providers';
import type { Page, Response as PageResponse } from 'playwright-core';
import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { findSeries, readMetrics } from '../system/read-metric.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const lineOf = ({ title, state }: Pick<Alert, 'title' | 'state'>) => `${title} (${state})`;
/** A block and a first use are news. */
const isWrong = ({ severity }: Alert) => severity !== 'info';
const isUnresolved = (url: string) => /\/api\/v1\/alerts\?.*state=unresolved/.test(url);

/** Follows what a page was told of alerts last. */
function listen(page: Page): () => Alert[] {
  let latest: Alert[] = [];
  page.on('response', async (response: PageResponse) => {
    if (isUnresolved(response.url()) && response.ok()) latest = (await response.json().catch(() => latest)) as Alert[];
  });
  return () => latest;
}

inBrowser('a night on call', () => {
  const { open, send, provider, system } = useConsole();
  const unresolved = () => system().api<Alert[]>('/api/v1/alerts?state=unresolved');
  const change = (path: string, method: string, body: object) =>
    system().api(`/api/v1/${path}`, { method, body: JSON.stringify(body) });
  const ask = (agent: string, count: number, fields = {}) =>
    Promise.all(Array.from({ length: count }, () => send(agent, fields)));
  const told = (title: RegExp) =>
    waitFor(`${title} to be told`, async () => (await unresolved()).find((alert) => title.test(alert.title)), 120_000);
  const over = (title: RegExp) =>
    waitFor(`${title} to be over`, async () => !(await unresolved()).some((alert) => title.test(alert.title)), 120_000);

  /** agp and the gauge say what the API says, if it says the same before and after. @returns whether it did */
  async function compare(): Promise<boolean> {
    const { management, apiKey } = system();
    const before = await unresolved();
    const run = await runCli(['status'], { AGP_URL: management.url, AGP_API_KEY: apiKey });
    const metrics = await readMetrics(management);
    const after = await unresolved();
    if (before.map(lineOf).join() !== after.map(lineOf).join()) return false;
    const shown = run.stdout
      .split('\n')
      .flatMap((line) => /^(?:critical|warning|info) +(.*?)(?: {2,}|$)/.exec(line)?.[1] ?? []);
    expect(shown).toEqual(before.filter(isWrong).map(({ title }) => title));
    for (const severity of ['critical', 'warning', 'info'])
      for (const state of ['open', 'acknowledged'])
        expect(
          findSeries(metrics, `agp_management_unresolved_alerts{severity="${severity}",state="${state}"}`),
          `${severity} ${state}`,
        ).toBe(before.filter((alert) => alert.severity === severity && alert.state === state).length);
    return true;
  }

  test('is told once each, the worst first, in the same words everywhere, and ends everywhere', async () => {
    for (const { id, rule } of await system().api<StoredRule[]>('/api/v1/notification-rules'))
      await change(`notification-rules/${id}`, 'PUT', { ...rule, quiet_minutes: 0 });
    await change('notification-rules', 'POST', { name: 'runaways', on: 'surge', at_least: 10, quiet_minutes: 0 });
    const pager = { name: 'pager', kind: 'webhook', url: 'https://127.0.0.1:9/', default_for: ['critical', 'warning'] };
    await change('notification-targets', 'POST', pager);
    const now = await open('/', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const list = await open('/alerts');
    const [nowTold, listTold] = [listen(now.page), listen(list.page)];

    let isOver = false;
    let compared = 0;
    const watching = (async () => {
      while (!isOver) {
        if (await compare()) compared += 1;
        // A page shows what it was told last, and nothing of its own.
        await expect
          .poll(async () => [await now.page.locator('.problems > li strong').allTextContents(), nowTold()] as const, {
            timeout: longestWaitMs,
          })
          .toSatisfy(([shown, alerts]: readonly [string[], Alert[]]) => {
            const titles = alerts.filter(isWrong).map(({ title }) => title);
            return JSON.stringify(shown) === JSON.stringify(titles.slice(0, 3));
          });
        await expect
          .poll(
            async () => [await list.page.locator('tbody tr td:first-child a').allTextContents(), listTold()] as const,
            {
              timeout: longestWaitMs,
            },
          )
          .toSatisfy(
            ([shown, alerts]: readonly [string[], Alert[]]) =>
              JSON.stringify(shown) === JSON.stringify(alerts.map(({ title }) => title)),
          );
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    })();
    const story = async () => {
      // An outage: twelve agents, one thing.
      const isOut = { now: true };
      provider().handle((request, index) =>
        isOut.now || request.body.includes('broken')
          ? { status: isOut.now ? 503 : 401, headers: { 'content-type': 'application/json' }, body: '{"error":{}}' }
          : answerCanned()(request, index),
      );
      await Promise.all(Array.from({ length: 12 }, (_, at) => ask(`worker-${at}`, 3)));
      const outage = await told(/^provider openai fails/);
      expect(outage.detail).toMatch(/worker-/);
      // It answers again, to an agent that runs away.
      isOut.now = false;
      await ask('churn-caller', 240);
      await over(/^provider openai fails/);
      await told(/churn-caller/);
      // One agent of two fails; who is awake blocks it.
      await ask('healthy', 10);
      await ask('ledger', 15, { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'broken' }] });
      await told(/^agent ledger fails/);
      const agents = await system().api<{ id: string; name: string }[]>('/api/v1/agents');
      const idOf = (name: string) => agents.find((agent) => agent.name === name)?.id ?? '';
      for (const name of ['ledger', 'churn-caller'])
        await change(`agents/${idOf(name)}?reason=night`, 'PUT', { status: 'blocked' });
      await over(/^agent ledger fails/);
      await over(/churn-caller: /);
      // The cap of all is reached: it stops everybody, and is first.
      await change('budgets/global', 'PUT', { daily_cap_usd: 0.0000001 });
      await ask('healthy', 3);
      await told(/^Every request of every agent is refused/);
      expect((await unresolved())[0]?.title).toMatch(/^Every request of every agent is refused/);
      await now.page
        .locator('.problems > li')
        .first()
        .getByText(/^Every request of every agent is refused/)
        .waitFor();
      await change('budgets/global', 'PUT', { daily_cap_usd: null });
      await over(/^Every request of every agent is refused/);
    };
    try {
      await Promise.race([story(), watching]);
    } finally {
      isOver = true;
      await watching;
    }
    expect(compared).toBeGreaterThan(10);

    const messages = await system().api<Delivery[]>('/api/v1/notification-deliveries?limit=200');
    const opened = messages.filter(({ occasion }) => occasion === 'opened').map(({ title }) => title);
    // Each fault was one message.
    for (const fault of [/^provider openai fails/, /^agent ledger fails/, /^Every request of every agent/])
      expect(opened.filter((title) => fault.test(title))).toHaveLength(1);
    expect(opened.length).toBeLessThan(10);
    expect([now.faults, list.faults]).toEqual([[], []]);
  }, 600_000);
});
