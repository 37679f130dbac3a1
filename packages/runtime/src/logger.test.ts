import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

test('a line is JSON with its level, time and service, and fields named as the API names them', () => {
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
