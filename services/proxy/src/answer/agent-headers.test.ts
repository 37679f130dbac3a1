import { expect, test } from 'vitest';
import { listWarnings, toAgentHeaders } from './agent-headers.ts';

test("the provider's headers reach the agent, but for cookies, hop-by-hop ones and our own names", () => {
  const headers = {
    'x-request-id': 'req_1',
    'set-cookie': ['a=b'],
    connection: 'keep-alive, x-hop',
    'x-hop': '1',
    'x-event-id': 'forged',
    'retry-after': '3',
  };
  expect(toAgentHeaders(headers)).toEqual({ 'x-request-id': 'req_1', 'retry-after': '3' });
});

test('a header tells of as many warnings as every client takes, and how many more there are', () => {
  expect(listWarnings(['one (rule models)', 'two (rule hours)'])).toBe('one (rule models), two (rule hours)');
  const warnings = Array.from({ length: 95 }, (_, at) => `${'x'.repeat(60)}-${at} (rule limits.max_output_tokens)`);
  const text = listWarnings(warnings);
  const [, count] = / and (\d+) more$/.exec(text) ?? [];
  expect([text.length <= 1_024, text.match(/rule/g)?.length]).toEqual([true, 95 - Number(count)]);
  expect(Number(count)).toBeGreaterThan(80);
});
