import { answerCanned } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BudgetSystem, startBudgetSystem, stayWithinTheDay } from './support/budget-system.ts';

/*
 * Calls that cost more than they reserved: what is known of their cost counts at once, though no writer runs.
 */

/** 0.10 USD, in nano-dollars: two calls of 6,000 tokens at gpt-4o's price pass it. */
const cap = 100_000_000;

const dispatcher = new Agent({ connections: 50, pipelining: 1 });
const opened = new AsyncDisposableStack();
let budgets: BudgetSystem;
let strictUrl: string;

beforeAll(async () => {
  budgets = opened.use(await startBudgetSystem(answerCanned({ output: 6_000 }), { writers: 0 }));
  const environment = { BUDGET: 'strict', PROVIDER_OPENAI_URL: budgets.provider.url };
  strictUrl = (await budgets.system.start('proxy', environment)).url;
  opened.defer(() => dispatcher.destroy());
  await stayWithinTheDay(60_000);
  await budgets.setDefaultCap(cap);
});
afterAll(() => opened.disposeAsync());

/** Sends so many, each once the one before is answered to its last byte. @returns how many of them were served */
async function sendInTurn(urls: string[], agentName: string, count: number, more: object = {}): Promise<number> {
  const body = { model: 'gpt-4o', max_tokens: 1, messages: [{ role: 'user', content: 'Well?' }], ...more };
  let served = 0;
  for (let sent = 0; sent < count; ) {
    const answer = await request(`${urls[sent % urls.length]}/openai/v1/chat/completions`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', 'x-agent-name': agentName },
      body: JSON.stringify(body),
    });
    await answer.body.text();
    // The machine was too busy, or Redis is not trusted yet: asked again, as SDKs do.
    if (answer.statusCode === 503) continue;
    sent += 1;
    if (answer.statusCode === 200) served += 1;
    else expect(answer.statusCode).toBe(429);
  }
  return served;
}

describe.each([
  ['an answer with a length', {}],
  ['a stream that tells its usage', { stream: true, stream_options: { include_usage: true } }],
  ['a stream whose usage the proxy asks for', { stream: true }],
])('%s', (name, more) => {
  test('on one connection, one call passes the cap', async () => {
    const agentName = `one ${name}`;
    expect(await sendInTurn(budgets.urls.slice(0, 1), agentName, 6, more)).toBe(2);
    // JetStream has the events, no writer: what Redis holds is what the calls cost.
    expect((await budgets.readState(agentName)).reserved).toBeGreaterThan(120_000_000);
  });

  test('one after the other through three proxies, one call passes the cap', async () => {
    expect(await sendInTurn(budgets.urls, `three ${name}`, 6, more)).toBe(2);
  });
});

test('under a strict cap, one call that is answered by a dearer model passes it', async () => {
  budgets.provider.handle(async (received, index) => {
    const dearer = { ...JSON.parse(received.body.toString()), model: 'o1-pro' };
    return answerCanned({ output: 500 })({ ...received, body: Buffer.from(JSON.stringify(dearer)) }, index);
  });
  expect(await sendInTurn([strictUrl], 'answered by another', 5, { max_tokens: 500 })).toBe(1);
});
