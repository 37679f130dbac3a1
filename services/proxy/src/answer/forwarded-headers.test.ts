import { expect, test } from 'vitest';
import { toAgentHeaders, toProviderHeaders } from './forwarded-headers.ts';

test('unknown headers go through with their case, repeated ones with all their values', () => {
  const raw = ['anthropic-beta', 'a', 'X-Stainless-Lang', 'js', 'Anthropic-Beta', 'b', 'Authorization', 'Bearer sk-1'];
  expect(toProviderHeaders(raw, undefined)).toEqual({
    'anthropic-beta': ['a', 'b'],
    'X-Stainless-Lang': 'js',
    Authorization: 'Bearer sk-1',
  });
});

test('headers of the connection, of ours and of proxies are not forwarded', () => {
  const dropped = [
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Host',
    'Content-Length',
    'Cookie',
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Proxy-Authorization',
    'Proxy-Connection',
    'X-Agent-Name',
    'X-Agent-Token',
    'X-Session-Id',
    'X-Compliance-Tag',
    'X-Secret-Hop',
  ];
  const raw = [...dropped.flatMap((name) => [name, 'x']), 'Accept', '*/*'];
  expect(toProviderHeaders(raw, 'close, x-secret-hop')).toEqual({ Accept: '*/*' });
});

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
