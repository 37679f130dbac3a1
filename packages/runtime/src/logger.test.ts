import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

test('a line is JSON with level, time and service, and its fields are named as in the API', () => {
  const lines: string[] = [];
  const logger = createLogger('proxy', 'info', { write: (line) => lines.push(line) });
  logger.debug({ eventId: 'evt_0' }, 'not shown');
  logger.warn({ eventId: 'evt_1', heldBack: 2, provider: 'a\n"b', missing: undefined }, 'went wrong');
  expect(lines).toHaveLength(1);
  const entry = JSON.parse(lines[0] ?? '');
  expect(Object.keys(entry)).toEqual(['level', 'time', 'service', 'pid', 'event_id', 'held_back', 'provider', 'msg']);
  expect(entry).toMatchObject({ level: 'warn', service: 'proxy', event_id: 'evt_1', held_back: 2, provider: 'a\n"b' });
  expect(new Date(entry.time).toISOString()).toBe(entry.time);
});

test('data from outside cannot control a terminal, show a credential or exceed the length of a line', () => {
  const lines: string[] = [];
  const logger = createLogger('proxy', 'info', { write: (line) => lines.push(line) });
  const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ4rS'.repeat(2)}`;
  const text = 'a\n\u001b[2J\u009b\u007f\u202e\u2028\ud800 b';
  logger.warn({ model: text, [text]: 1, cause: { message: `${key} is refused`, deep: [text] } }, 'went wrong');
  logger.warn({ error: 'x'.repeat(1_000_000), other: Array.from({ length: 500 }, () => 'y'.repeat(1_000)) }, 'is long');
  logger.error({ error: new Error(`about ${key}`) }, 'was thrown');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*\n$/);
  expect(lines.join()).not.toContain(key);
  const [hostile, long, thrown] = lines.map((line) => JSON.parse(line));
  expect(hostile).toMatchObject({ model: text, cause: { message: '[api_key] is refused', deep: [text] } });
  expect(lines[1]?.length).toBeLessThan(20_000);
  expect(long.error).toMatch(/^x+\.\.\. \(1000000 in all\)$/);
  expect(thrown.error).toMatch(/^Error: about \[api_key\]\n {4}at /);
});
