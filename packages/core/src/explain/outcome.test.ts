import { expect, test } from 'vitest';
import { failureCauses } from '../events/index.ts';
import { describeOutcome, explainOutcome, statusBeside } from './outcome.ts';

type Explained = Parameters<typeof explainOutcome>[0];

const explain = (outcome: Explained['outcome'], http_status: number | null, more: Partial<Explained> = {}) =>
  explainOutcome({ outcome, http_status, failure: null, usage_source: 'none', cost_usd: 0, ...more });

test('a success has no explanation, and an end that is not known neither', () => {
  expect([explain('completed', 200), explain('completed', null), explain(null, null)]).toEqual([null, null, null]);
});

test("a provider's error is its own, has a way out, and costs nothing", () => {
  expect(explain('completed', 429)).toBe(
    "429 is the provider's own answer, which the agent got as it was. The limit of the account at the provider is reached, which is not the proxy's: wait, send less, or ask the provider for more. The text of the error is not stored; the agent has it. The call cost nothing.",
  );
  const isVersionMissed = (path: string) => explain('completed', 404, { path })?.includes('path has no version');
  expect(['/chat/completions', '/v1/chat/completions', '/api/v2/x'].map(isVersionMissed)).toEqual([true, false, false]);
  expect(explain('completed', 500)).toMatch(/Try again; if other agents get answers from it .+ what this one asks/);
  for (const status of [502, 503, 529])
    expect(explain('completed', status)).toMatch(
      new RegExp(
        `^${status} is the provider's own answer, .* Neither the agent nor the proxy is at fault\\. .*try again`,
        'i',
      ),
    );
  expect(explain('completed', 418)).toMatch(
    /^418 is the provider's own answer, which the agent got as it was\. The text/,
  );
});

test('each way of breaking off says what happened, what the agent has, whose fault it is, what it cost and what to do', () => {
  for (const failure of failureCauses) {
    expect(explain('failed', null, { failure })).toMatch(
      /^No answer came: .+\. The agent got 50[24] from the proxy\. The agent is not at fault\. .+\. The call cost nothing\.$/,
    );
    expect(explain('failed', 200, { failure, usage_source: 'estimated', cost_usd: 0.1 })).toMatch(
      /^The answer began, with status 200, and broke off: .+ The agent is not at fault\. .+ the cost is an estimate\.$/,
    );
  }
  expect(explain('failed', null, { failure: 'timeout' })).toContain('The agent got 504');
  expect(explain('failed', 200, { usage_source: 'provider', cost_usd: 0.1 })).toMatch(
    /^The answer began, with status 200, and failed midway: the provider sent an error .+ The cost is what the provider's figures say\.$/,
  );
  for (const ended of [explain('failed', null), explain('aborted', 200), explain('killed', 200)])
    expect(ended).toMatch(/^[A-Z].+\. The call cost nothing\.$/);
});

test('a result never has the status of a success beside a failure', () => {
  const text = (outcome: string | null, http_status: number | null = null, failure: string | null = null) =>
    describeOutcome({ outcome, http_status, failure });
  expect(text('failed', 200)).toEqual({ text: 'failed midway', short: 'midway', tone: 'bad' });
  expect(text('failed', 200, 'reset')).toMatchObject({ text: 'failed: reset', short: 'reset' });
  expect(text('failed', null, 'refused').text).toBe('failed: connection refused');
  expect(text('failed', 429).text).toBe('failed: 429');
  expect(text('failed').text).toBe('failed');
  expect(text('completed', 200)).toEqual({ text: 'completed', short: 'ok', tone: 'good' });
  expect(text('completed', 429)).toEqual({ text: 'answered 429', short: '429', tone: 'bad' });
  expect(text('killed', 200)).toMatchObject({ text: 'killed', tone: 'warn' });
  expect(text(null)).toMatchObject({ text: 'not known', short: '-' });
  const statuses = [200, 429].map((http_status) => statusBeside({ outcome: 'failed', http_status }));
  expect([...statuses, statusBeside({ outcome: 'killed', http_status: 200 })]).toEqual([null, 429, 200]);
});
