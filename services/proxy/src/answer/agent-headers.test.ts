import { expect, test } from 'vitest';
import { toAgentHeaders } from './agent-headers.ts';

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
