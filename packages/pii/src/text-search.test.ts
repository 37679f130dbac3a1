import { expect, test } from 'vitest';
import { createTextSearch } from './text-search.ts';

const own = [{ kind: 'interns/employee', pattern: 'EMP-\\d{6}', longest: 16 }];
const show = (text: string, kinds: string[], patterns = own) =>
  createTextSearch(kinds, patterns)
    .find(text)
    .map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);

test('what is found is of the wanted kinds alone, as the events record it', () => {
  const text = 'jane@example.com, phone 4111 1111 1111 1111, EMP-123456';
  expect(show(text, ['email', 'phone'])).toEqual(['email: jane@example.com']);
  expect(show(text, ['credit_card', 'interns/employee'])).toEqual([
    'credit_card: 4111 1111 1111 1111',
    'interns/employee: EMP-123456',
  ]);
});

test('a wanted pattern is found in masked spellings, and inside of what is not wanted', () => {
  expect(show('EMP-１２３４５６ and EMP-12&#51;456', ['interns/employee'])).toEqual([
    'interns/employee: EMP-１２３４５６',
    'interns/employee: EMP-12&#51;456',
  ]);
  expect(show('emp-EMP-123456@example.com', ['interns/employee'])).toEqual(['interns/employee: EMP-123456']);
  expect(show('EMP-123456@example.com', ['email'])).toEqual(['email: EMP-123456@example.com']);
});

test('a value in an invisible copy of ASCII is found where it stands', () => {
  const tags = (text: string) =>
    Array.from(text, (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');
  const [address, number] = [tags('ana@example.org'), tags('EMP-123456')];
  expect(show(`to ${address}`, ['email'])).toEqual([`email: ${address}`]);
  expect(show(`of ${number}`, ['interns/employee'])).toEqual([`interns/employee: ${number}`]);
});

test('patterns match over the bounds of what is matched at once, as often as they occur', () => {
  for (const gap of [0, 61, 4_090, 4_096])
    expect(show(`${'é'.repeat(gap)} EMP-123456`.repeat(300), ['interns/employee'])).toHaveLength(300);
});

test('what waits begins with a whole character, and a pattern waits for its longest match', () => {
  const search = createTextSearch(['interns/employee'], own);
  for (const end of [40, 41, 42, 43]) {
    const open = search.findOpen('😀'.repeat(40).slice(0, end));
    expect([end - open, open % 2]).toEqual([16 + (end % 2), 0]);
  }
});

test('a pattern is found within longer words, and an address with the number of a card in it is one', () => {
  expect(show('see EMP-123456.78 or 12EMP-123456', ['interns/employee'])).toHaveLength(2);
  expect(show('mail 4111111111111111@example.org', ['email'])).toEqual(['email: 4111111111111111@example.org']);
});
