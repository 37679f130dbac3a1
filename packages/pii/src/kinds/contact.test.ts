import { expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';

const find = createPiiFinder();
const only = (type: string, text: string) =>
  find(text)
    .filter((finding) => finding.type === type)
    .map(({ start, end }) => text.slice(start, end));

test.each([
  ['a@b.co', 'a@b.co'],
  ['Write to <First.Last+tag@sub.example.co.uk>.', 'First.Last+tag@sub.example.co.uk'],
  ["O'Brien@example.ie", "O'Brien@example.ie"],
  ["to='x_y%z@example.org'", 'x_y%z@example.org'],
  ['mailto:jo@example.com.', 'jo@example.com'],
  ['josé@exämple.de', 'josé@exämple.de'],
  ['联系foo@example.com吧', 'foo@example.com'],
  ['x@xn--fiq228c.xn--p1ai', 'x@xn--fiq228c.xn--p1ai'],
  ['see...me@example.org', 'me@example.org'],
  ['?email=me@example.org&x=1', 'me@example.org'],
  ['https://example.org/?to=me@example.org', 'me@example.org'],
  [`${'a'.repeat(80)}@example.org`, `${'a'.repeat(64)}@example.org`],
  ['me@163.com', 'me@163.com'],
  ['\ud800me@example.org\udc00', 'me@example.org'],
])('a mail address: %j', (text, address) => {
  expect(only('email', text)).toEqual([address]);
});

test.each([
  'npm i @scope/pkg@1.2.3 left-pad@1.3.0 x@1.0.0-rc.beta',
  'git@github.com:org/repo.git',
  'ssh://git@github.com/org/repo postgres://user:pass@db.example.com/x',
  'icon@2x.png user@localhost @app.route me@ @example.org a@.com a@b..c',
  'image@sha256:abcdef x@y.z x@-a.com- .@example.org',
])('no mail address: %j', (text) => {
  expect(only('email', text)).toEqual([]);
});

test('of several addresses side by side each is found', () => {
  expect(only('email', 'a@b.com,c@d.net;e@f.org')).toEqual(['a@b.com', 'c@d.net', 'e@f.org']);
});

test.each([
  ['+14155552671', '+14155552671'],
  ['(+44 20 7946 0958)', '+44 20 7946 0958'],
  ['+44 (0)20 7946 0958', '+44 (0)20 7946 0958'],
  ['0032 2 555 12 12', '0032 2 555 12 12'],
  ['+1 (415) 555-2671 x89', '+1 (415) 555-2671 x89'],
  ['(415)555-2671 ext. 89', '(415)555-2671 ext. 89'],
  ['1-800-555-0199', '1-800-555-0199'],
  ['415.555.2671', '415.555.2671'],
  ['020 7946 0958', '020 7946 0958'],
  ['01.23.45.67.89', '01.23.45.67.89'],
  ['030/901820', '030/901820'],
  ['(08) 8747 6301', '(08) 8747 6301'],
  ['(11) 91234-5678', '(11) 91234-5678'],
  ['8 (912) 345-67-89', '8 (912) 345-67-89'],
  ['手机13800138000', '13800138000'],
  ['Call me on 467 3395', '467 3395'],
  ['Phone:\n60-56-85-91', '60-56-85-91'],
  ['Fax: 9498777106', '9498777106'],
  ['(37) 788-063-Office', '(37) 788-063'],
  ['416\u00a060\u00a0039 office', '416\u00a060\u00a0039'],
  ['+14155552671 2024-05-01', '+14155552671'],
  ['+1 415 555 2671 7', '+1 415 555 2671'],
  ['+49 30 901820 2024-05-01', '+49 30 901820'],
  ['+44 20 7946 0958 10:30', '+44 20 7946 0958'],
  ['+44 20 7946 0958 1,234.56', '+44 20 7946 0958'],
  ['+49 30 901820 5 items', '+49 30 901820'],
  ['Jane,415-555-2671,300,x', '415-555-2671'],
  ['Jane,+14155552671,100', '+14155552671'],
])('a phone number: %j', (text, number) => {
  expect(only('phone', text)).toEqual([number]);
});

test.each([
  '1234567 12 345 678 467 3395 1,234,567.89 123456789012',
  '2024-01-15 10:30:00 1700000000 1700000000000 20240115 01.02.2020',
  'version 3.14.159.2653 lib-415-555-2671 415-555-2671-B $415-555-2671',
  'phone 2023-10-11, the phone costs 1299.99',
  '+20240115 +12345678 x+14155552671 +999 123 456 789',
  'tool call 1234567, call_id 123 4567',
  'Nature 12 (2019) 123-456',
  '9:415-555-267',
  '2026-11-26 22:41:00.491 51746 INFO started',
  '03-17 16:16:00.233 28601 28601 V AudioManager',
  '[0717/114521:ERROR:dns_config_service_posix.cc(306)]',
  'Progress is : 0.023958297',
  'waiting for message on queue\n2015-07-29 19:13:17,524 - WARN',
])('no phone number: %j', (text) => {
  expect(only('phone', text)).toEqual([]);
});
