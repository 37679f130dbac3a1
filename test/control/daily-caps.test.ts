import { setTimeout as sleep } from 'node:timers/promises';
import { errorTable } from '@agp/core/errors';
import { nanoToText } from '@agp/core/money';
import { refusalText } from '@agp/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { burstAgentCap, burstAtBedrock, burstGlobalCap, measureCost } from '../prove/stories/burst-caps.ts';
import { readMetric } from '../system/read-metric.ts';
import { waitFor } from '../system/start-system.ts';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';
import { answerAsReserved, type CallResult, countResults } from './support/send-calls.ts';

const held = '429 daily budget held by requests in flight';

let budgets: BudgetSystem;
/** What one request costs, in nano-dollars. */
let cost: number;

beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(1, 100), { writers: 2 });
  cost = await measureCost(budgets);
});
afterAll(() => budgets?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await stayWithinTheDay(60_000);
  await Promise.all([budgets.setDefaultCap(null), budgets.setGlobalCap(null)]);
  budgets.provider.handle(answerAsReserved(1, 100));
});

// Small: a proxy that waits 100 ms for Redis on a starved machine goes on with what it knows itself.
const size = { parallel: 20, rounds: 1 };

test(`${size.parallel} at once through three proxies, each a tenth of the cap: ten pass and the cap is spent`, () =>
  burstAgentCap(budgets, cost, size));

test('the same by Converse at Bedrock', () => burstAtBedrock(budgets, size));

test(`twenty agents share a global cap: ten of ${size.parallel} requests pass and it is spent`, () =>
  burstGlobalCap(budgets, cost, size));

test('requests that cost a third of what they reserve never spend more than the cap, and retries fill it to the tenth', async () => {
  // Of the reservation all but the input's few tokens is output.
  budgets.provider.handle(answerAsReserved(0.25, 50));
  const maxTokens = 1_000;
  await budgets.send({ agentName: 'measured-again', maxTokens });
  await budgets.settle();
  const { spent: each } = await budgets.readState('measured-again');
  budgets.provider.handle(answerAsReserved(1, 0));
  await budgets.send({ agentName: 'measured-in-full', maxTokens });
  await budgets.settle();
  const { spent: reservation } = await budgets.readState('measured-in-full');
  expect(reservation).toBeGreaterThan(3 * each);

  budgets.provider.handle(answerAsReserved(0.25, 50));
  // There is room for the tenth, and then no longer for an eleventh.
  const cap = 9 * each + reservation;
  await budgets.setDefaultCap(cap);
  const agentName = 'frugal';
  const keepTrying = async (_: unknown, worker: number): Promise<CallResult> => {
    for (;;) {
      const result = await budgets.send({ agentName, maxTokens }, worker % 3);
      const state = await budgets.readState(agentName);
      expect(state.spent).toBeLessThanOrEqual(cap);
      if (result.error !== errorTable.budget_held.message) return result;
      expect(result.retryAfter).toBe('1');
      await sleep(300);
    }
  };
  const results = await Promise.all(Array.from({ length: 16 }, keepTrying));
  expect(countResults(results)).toEqual({ 200: 10, '429 daily budget exceeded': 6 });
  await budgets.settle();
  expect(await budgets.readState(agentName)).toEqual({ spent: 10 * each, reserved: 0, held: 0 });
});

test('while requests that do not fit keep coming, a small one that does is not kept out by them', async () => {
  const agentName = 'crowded';
  await budgets.send({ agentName });
  await budgets.settle();
  const { spent } = await budgets.readState(agentName);
  // One large request runs and holds nine tenths; what is left is too little for another, and enough for a small one.
  const large = 1_000;
  const reservation = (await measure('crowded-large', large)).spent;
  await budgets.setAgentCap(agentName, spent + reservation + 2 * cost);
  const [answer, patience] = [answerAsReserved(), Promise.withResolvers<void>()];
  onTestFinished(() => patience.resolve());
  budgets.provider.handle(async (received, index) => {
    if (received.body.includes(`"max_tokens":${large}`)) await patience.promise;
    return answer(received, index);
  });
  const running = budgets.send({ agentName, maxTokens: large });
  await waitFor('its reservation', async () => (await budgets.readState(agentName)).held === 1);
  let crowded = true;
  async function crowd(): Promise<CallResult[]> {
    const results = await budgets.sendMany(20, () => ({ agentName, maxTokens: large }));
    return crowded ? [...results, ...(await crowd())] : results;
  }
  /** Repeats what had to wait too long for its turn, as SDKs do. */
  async function insist(proxy: number): Promise<CallResult> {
    const result = await budgets.send({ agentName }, proxy);
    return result.retryAfter === '1' ? insist(proxy) : result;
  }
  const crowds = Promise.all([crowd(), crowd(), crowd()]);
  const small = await Promise.all([insist(0), insist(1)]);
  crowded = false;
  expect(countResults(small)).toEqual({ 200: 2 });
  const refused = (await crowds).flat();
  expect(countResults(refused)).toEqual({ [held]: refused.length });
  for (const { headers, retryAfter } of refused)
    expect([headers['x-error-code'], headers['x-should-retry'], retryAfter]).toEqual(['budget_held', undefined, '1']);
  const rooms = await Promise.all(
    budgets.system.proxies.map((proxy) => readMetric(proxy, 'agp_proxy_refused_with_room_total{cap="agent"}')),
  );
  expect(rooms.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(refused.length);
  patience.resolve();
  expect((await running).status).toBe(200);
});

test('a refusal says what would pass, and that passes; of the cap of all it says nothing that others spend', async () => {
  const agentName = 'told';
  await budgets.send({ agentName });
  await budgets.settle();
  // Room for ten tokens of output and not for a hundred.
  const { spent } = await budgets.readState(agentName);
  const cap = spent + Math.round(0.6 * cost);
  await budgets.setAgentCap(agentName, cap);
  const refused = await budgets.send({ agentName });
  expect(refused.message).toBe(
    `daily budget exceeded: cap ${nanoToText(cap)} USD, spent ${nanoToText(spent)}, this request may cost ${nanoToText(cost)}; a lower max_tokens may fit`,
  );
  expect(refused.headers).toMatchObject({
    'x-error-code': 'agent_budget_exceeded',
    'x-should-retry': 'false',
    'x-budget-cap-usd': nanoToText(cap),
    'x-budget-spent-usd': nanoToText(spent),
    'x-budget-request-usd': nanoToText(cost),
  });
  expect((await budgets.send({ agentName, maxTokens: 10 })).status).toBe(200);
  await budgets.settle();
  await budgets.setAgentCap(agentName, null);

  const { spent: all } = await budgets.readState();
  await budgets.setGlobalCap(all + 10);
  const ofAll = await budgets.send({ agentName });
  expect(ofAll.message).toBe(`global daily budget exceeded: this request may cost ${nanoToText(cost)} USD`);
  expect(Object.keys(ofAll.headers).filter((name) => name.startsWith('x-budget'))).toEqual(['x-budget-request-usd']);
});

async function measure(agentName: string, maxTokens: number) {
  await budgets.send({ agentName, maxTokens });
  await budgets.settle();
  return budgets.readState(agentName);
}

test('a cap that is reached refuses every route, known or not, and costs nothing to ask', async () => {
  const agentName = 'stopped';
  await budgets.send({ agentName });
  await budgets.settle();
  await budgets.setAgentCap(agentName, cost);
  const before = budgets.provider.requests.length;
  for (const path of [
    'chat/completions',
    'embeddings',
    'models',
    'never/heard-of',
    'files',
    'responses/input_tokens',
  ]) {
    const { status, error, headers, retryAfter } = await budgets.send({ agentName, path });
    expect([path, status, error, headers['x-should-retry']]).toEqual([
      path,
      429,
      errorTable.agent_budget_exceeded.message,
      'false',
    ]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(Number(retryAfter)).toBeLessThanOrEqual(86_400);
  }
  const answer = await fetch(`${budgets.urls[0]}/openai/v1/models`, { headers: { 'x-agent-name': agentName } });
  expect([answer.status, refusalText(await answer.json())]).toEqual([
    429,
    `daily budget exceeded: cap ${nanoToText(cost)} USD, spent ${nanoToText(cost)}`,
  ]);
  expect(budgets.provider.requests.length).toBe(before);
});

test('a cap that only warns lets everything through and counts what it would have refused', async () => {
  const agentName = 'warned';
  await budgets.send({ agentName });
  await budgets.settle();
  await budgets.setAgentCap(agentName, cost, true);
  const results = await budgets.sendMany(30, () => ({ agentName }));
  expect(countResults(results)).toEqual({ 200: 30 });
  await budgets.settle();
  expect(await budgets.readState(agentName)).toMatchObject({ spent: 31 * cost });
  expect(await countWarnings('agent')).toBe(30);

  await budgets.setGlobalCap(0);
  await budgets.system.database.pool.query('UPDATE control SET global_warn_only = true');
  expect((await budgets.send({ agentName })).status).toBe(200);
  expect(await countWarnings('global')).toBe(1);
  await budgets.system.database.pool.query('UPDATE control SET global_warn_only = false');
  expect((await budgets.send({ agentName })).error).toBe(errorTable.global_budget_exceeded.message);
});

async function countWarnings(cap: string): Promise<number> {
  let sum = 0;
  for (const { opsUrl } of budgets.system.proxies) {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    sum += Number(new RegExp(`^agp_proxy_budget_warnings_total{cap="${cap}"} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  }
  return sum;
}
