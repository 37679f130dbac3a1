import { expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';

const find = createPiiFinder();
const only = (type: string, text: string) =>
  find(text)
    .filter((finding) => finding.type === type)
    .map(({ start, end }) => text.slice(start, end));

test.each([
  ['from 192.168.1.17.', '192.168.1.17'],
  ['http://203.0.113.7:8080/', '203.0.113.7'],
  ['10.1.2.3/32', '10.1.2.3'],
  ['10.1.2.3/24', '10.1.2.3'],
  ['ip: 1.2.3.4', '1.2.3.4'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['fe80::1ff:fe23:4567:890a%eth0', 'fe80::1ff:fe23:4567:890a'],
  ['::ffff:192.0.2.128', '::ffff:192.0.2.128'],
  ['2001:0db8:85a3:0000:0000:8a2e:0370:7334', '2001:0db8:85a3:0000:0000:8a2e:0370:7334'],
  ['6e40:4041:c617:e898:c11:40d2:c669:2eb4', '6e40:4041:c617:e898:c11:40d2:c669:2eb4'],
])('an address: %j', (text, address) => {
  expect(only('ip_address', text)).toEqual([address]);
});

test.each([
  '127.0.0.1 0.0.0.0 255.255.255.0 239.1.2.3 169.254.169.254',
  '10.0.0.0/8 172.16.0.0/12 2001:db8::/32',
  'v10.20.30.40 version 10.20.30.40 Chrome/120.0.0.0 foo==10.20.30.40',
  '10.20.30.40.50 lib-10.20.30.40 10.20.30.40.tar.gz 10.20.30.40-beta',
  '1.2.3.4 10.20.30.400 10.20.30.040 x10.20.30.40',
  '12:30:45 std::string a::b dead::beef ::1 :: fe80::',
  '2001:db8::1::2 2001:db8:1:2:3:4:5:6:7 g2001:db8::1',
])('no address: %j', (text) => {
  expect(only('ip_address', text)).toEqual([]);
});

test('two addresses side by side are two', () => {
  expect(only('ip_address', '10.1.2.3-10.1.2.9 10.1.2.11')).toEqual(['10.1.2.3', '10.1.2.9', '10.1.2.11']);
});

test.each(['00:1A:2B:3C:4D:5E', '00-1a-2b-3c-4d-5e', '001a.2b3c.4d5e'])('a MAC address: %s', (address) => {
  expect(only('mac_address', `at ${address}.`)).toEqual([address]);
});

test.each([
  '00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 01-02-03-04-05-06 dead.beef.cafe',
  'ab:cd:ef:01:23:45:67:89 00:1a:2b:3c:4d 00:1a:2b:3c:4d:5g 00:1a:2b-3c:4d:5e',
  'x00:1a:2b:3c:4d:5e 00:1a:2b:3c:4d:5ef',
])('no MAC address: %j', (text) => {
  expect(only('mac_address', text)).toEqual([]);
});
