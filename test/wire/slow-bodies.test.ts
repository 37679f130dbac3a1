import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalText } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BudgetSystem, startBudgetSystem } from '../control/support/budget-system.ts';
import { answerAsReserved } from '../control/support/send-calls.ts';

let budgets: BudgetSystem;
beforeAll(async () => {
  budgets = await startBudgetSystem(answerAsReserved(), { proxies: 1 });
});
afterAll(() => budgets?.[Symbol.asyncDispose]());

/** Begins a request, and is admitted with what governs its agent then; the last byte is for the caller to send. */
async function beginSlowly(agentName: string) {
  const body = JSON.stringify({ model: 'gpt-4o', max_tokens: 1, messages: [{ role: 'user', content: 'hello' }] });
  const slow = request(`${budgets.urls[0]}/openai/v1/chat/completions`, {
    method: 'POST',
    // The proxy asks for the body once it has admitted the request.
    headers: { 'x-agent-name': agentName, 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  });
  const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
  slow.flushHeaders();
  await once(slow, 'continue');
  slow.write(body.slice(0, -1));
  return async () => {
    slow.end(body.slice(-1));
    const [response] = await answered;
    return { status: response.statusCode, body: await text(response) };
  };
}

const change = (columns: string, agentName: string) =>
  budgets.system.database.pool.query(`UPDATE agents SET ${columns} WHERE name = $1`, [agentName]);

test.each([
  ['daily_cap_usd = 0', 'daily budget exceeded: cap 0 USD, spent 0'],
  ['requests_per_minute = 1', 'rate limit exceeded: at most 1 a minute for this agent'],
])('what is set while a body is on its way holds for that request: %s', async (columns, error) => {
  const agentName = `slow ${columns}`;
  // The first request of this minute, and of the next should it begin right now.
  const finish = await beginSlowly(agentName);
  const others = await Promise.all([beginSlowly(agentName), beginSlowly(agentName)]);
  await change(columns, agentName);
  // For less than this an admission is taken to hold.
  await sleep(100);
  const before = budgets.provider.requests.length;
  const answers = await Promise.all([finish, ...others].map((finishOne) => finishOne()));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refusalText(refused[0]?.body)).toBe(error);
  expect(budgets.provider.requests.length - before).toBe(answers.length - refused.length);
  await change('daily_cap_usd = NULL, requests_per_minute = NULL', agentName);
  expect((await budgets.send({ agentName })).status).toBe(200);
  await budgets.settle();
});
