import type { lookup } from 'node:dns';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { direct } from './egress.ts';
import { guardConnections, guardLookup, isPrivate } from './guard.ts';

test.each([
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.19.0.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe', '::127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::a00:1', '2002:7f00:1::', '2001::7f00:1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fd00:ec2::254'],
  ...['ff02::1', '2001:db8::1', '100::1', '3fff::1', '5f00::1', 'localhost', ''],
])('%s is private', (address) => {
  expect(isPrivate(address)).toBe(true);
});

test.each([
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700::6812:6c0',
  '2a00::1',
])('%s is public', (address) => {
  expect(isPrivate(address)).toBe(false);
});

/** A name whose addresses change at each look-up. */
function answerInTurn(...answers: string[][]) {
  const names: string[] = [];
  const look = ((name: string, _options: object, done: (error: Error | null, addresses: object[]) => void) => {
    names.push(name);
    const addresses = answers[names.length - 1] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as typeof lookup;
  return { look, names };
}

test('a connection goes to just what its only look-up gave, so a name that changes meanwhile leads nowhere else', async () => {
  const { look } = answerInTurn(['8.8.8.8'], ['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], [], ['8.8.4.4', '2606:4700::1']);
  const guarded = promisify(guardLookup(look, 'ALLOWED'));
  expect(await guarded('rebinds.test', { all: true })).toEqual([{ address: '8.8.8.8', family: 4 }]);
  await expect(guarded('rebinds.test', { all: true })).rejects.toThrow('address is private: 127.0.0.1');
  await expect(guarded('rebinds.test', { all: true })).rejects.toThrow('address is private: 10.0.0.1');
  await expect(guarded('rebinds.test', { all: true })).rejects.toThrow('address is private: rebinds.test');
  expect(await guarded('rebinds.test', {})).toBe('8.8.4.4');
});

test('plain HTTP, and an address in place of a name, are refused before a look-up', async () => {
  const { look, names } = answerInTurn();
  const connect = guardConnections(
    { allowedHosts: ['allowed.test:8080'], setting: 'ALLOWED', timeoutMs: 1_000, egress: direct },
    look,
  );
  const fault = (protocol: string, host: string) =>
    new Promise((resolve) => {
      const [hostname = ''] = host.split(':');
      connect({ protocol, host, hostname, port: '' }, (...[error]) => resolve(error?.message));
    });
  expect(await fault('http:', 'public.test')).toMatch(/^has no TLS: ALLOWED does/);
  expect(await fault('http:', 'allowed.test')).toMatch(/^has no TLS/);
  expect(await fault('https:', '169.254.169.254')).toMatch(/^address is private: 169.254.169.254/);
  expect(names).toEqual([]);
});
