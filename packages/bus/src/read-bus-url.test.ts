import { expect, test } from 'vitest';
import { BusUrlError, readBusUrl } from './connect.ts';

test.each([
  ['nats://nats', { servers: ['nats:4222'], host: 'nats', user: undefined, pass: undefined, tls: false }],
  ['nats:4333', { servers: ['nats:4333'], user: undefined }],
  ['nats://proxy:p%40ss%2C%2F@a:1', { servers: ['a:1'], user: 'proxy', pass: 'p@ss,/', tls: false }],
  ['tls://proxy:secret@a, b:5222,tls://c', { servers: ['a:4222', 'b:5222', 'c:4222'], user: 'proxy', tls: true }],
  ['nats://u:p@a,nats://u:p@b', { servers: ['a:4222', 'b:4222'], user: 'u', pass: 'p' }],
  ['tls://u:p@[::1]:4222', { servers: ['[::1]:4222'], host: '::1' }],
])('%s', (url, expected) => {
  expect(readBusUrl(url)).toMatchObject(expected);
});

test.each([
  '',
  'http://a',
  'nats://',
  'nats://u:hunter2@a,nats://v:hunter2@b',
  'nats://u:hunter2/@a:b',
  'nats://hunter2@a:99999',
])('%s is refused, and not quoted', (url) => {
  expect(() => readBusUrl(url)).toThrow(BusUrlError);
  expect(() => readBusUrl(url)).not.toThrow('hunter2');
});
