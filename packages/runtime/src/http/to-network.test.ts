import { expect, test } from 'vitest';
import { toNetwork } from './caller-guard.ts';

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['unknown', 'unknown'],
  ['::1', '0:0:0:0::/64'],
  ['2001:DB8:0:7:a:b:c:d', '2001:db8:0:7::/64'],
  ['2001:db8:0:7::9', '2001:db8:0:7::/64'],
  ['2001:0db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the network of %s is %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
