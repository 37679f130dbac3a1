import { expect, test } from 'vitest';
import { asksUnreadable, toProviderHeaders } from './outgoing.ts';

test.each([
  ['gzip, deflate, br', false],
  ['gzip, deflate, br, zstd', true],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', false],
  ['', false],
  ['GZIP', false],
  ['compress', true],
  ['gzip, dcz', true],
  ['*', true],
  ['br, *;q=0.1', true],
  ['__proto__', true],
])('%j allows an encoding that we cannot read: %s', (value, expected) => {
  expect(asksUnreadable(value)).toBe(expected);
});

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
