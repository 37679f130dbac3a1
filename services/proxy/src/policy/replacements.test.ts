import { expect, test } from 'vitest';
import { Replacements } from './replacements.ts';

const redact = { action: 'redact', put: 'label', restores: true } as const;
const agent = '018f0000-0000-7000-8000-000000000001';
const key = 'k'.repeat(32);
const open = (known?: Map<string, string>) => new Replacements(agent, key, known);

test('a value has one label, whatever was written before, and another by another agent, key or kind', () => {
  const label = open().write('label', 'email', 'a@example.com');
  expect(label).toMatch(/^\[email [a-z0-9]{6}\]$/);
  const later = open();
  for (let at = 0; at < 50; at++) later.write('label', 'email', `b${at}@example.com`);
  expect(later.write('label', 'email', 'a@example.com')).toBe(label);
  const others = [
    new Replacements('018f0000-0000-7000-8000-000000000002', key).write('label', 'email', 'a@example.com'),
    new Replacements(agent, undefined).write('label', 'email', 'a@example.com'),
    open().write('label', 'interns/mail', 'a@example.com').replace('mail', 'email'),
    open().write('label', 'email', 'a@example.com '),
  ];
  expect(new Set([label, ...others]).size).toBe(5);
  expect(open().write('label', 'interns/mail', 'x')).toBe(open().write('label', 'others/mail', 'x'));
});

test('halves of characters are different values', () => {
  const data = open();
  expect(data.write('label', 'email', '\ud800')).not.toBe(data.write('label', 'email', '\ud801'));
});

test('of two values that would share a label the second has a longer one, and each is put back as it was', () => {
  const short = open().write('label', 'email', 'a@example.com');
  const data = open(new Map([[short, 'other@example.com']]));
  const long = data.writeOwn(redact, 'email', 'a@example.com');
  expect(long).toMatch(/^\[email [a-z0-9]{8}\]$/);
  expect(long.slice(0, -3)).toBe(short.slice(0, -1));
  expect([data.restore(short), data.restore(long)]).toEqual(['other@example.com', 'a@example.com']);
  const full = open(new Map([short, long].map((label) => [label, 'other@example.com'])));
  expect(full.writeOwn(redact, 'email', 'a@example.com')).toBe('[email]');
  expect(full.restore('[email]')).toBe(null);
});

test('what an answer brought is not put back, nor what no rule restores', () => {
  const data = open();
  expect(data.restore(data.write('label', 'email', 'a@example.com'))).toBe(null);
  expect(data.restore(data.writeOwn({ ...redact, restores: false }, 'email', 'b@example.com'))).toBe(null);
  const label = data.writeOwn(redact, 'email', 'c@example.com');
  expect([data.restore(label), [...data.fresh]]).toEqual(['c@example.com', [[label, 'c@example.com']]]);
});

test('a hash is the same for all agents, and a card shows its end', () => {
  const hash = open().write('hash', 'email', 'a@example.com');
  expect(hash).toMatch(/^\[email [0-9a-f]{12}\]$/);
  expect(new Replacements('another', key).write('hash', 'email', 'a@example.com')).toBe(hash);
  expect(open().write('last_four', 'credit_card', '4111 1111 1111 1234')).toBe('****1234');
});
