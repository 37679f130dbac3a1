import { expect, onTestFinished, test, vi } from 'vitest';
import { LastBytes } from './last-bytes.ts';

const push = (last: LastBytes, text: string, sawEnd = false) => {
  const bytes = Buffer.from(text);
  return last.push(bytes, bytes, sawEnd).toString();
};

test('the chunk that completes the declared length is kept, and nothing before it', () => {
  const last = new LastBytes('5', () => {});
  expect([push(last, 'ab'), push(last, 'cd'), push(last, 'e')]).toEqual(['ab', 'cd', '']);
  expect([last.take().toString(), last.take().toString()]).toEqual(['e', '']);
});

test('what seemed to be the last frame passes if the stream goes on', () => {
  const last = new LastBytes(undefined, () => {});
  expect([push(last, 'a'), push(last, 'b', true), push(last, 'c', true), push(last, 'd')]).toEqual([
    'a',
    '',
    '',
    'bcd',
  ]);
});

test('a stream that is kept open after its last frame passes after a second', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const passed: string[] = [];
  const last = new LastBytes(undefined, (kept) => passed.push(kept.toString()));
  push(last, 'a', true);
  vi.advanceTimersByTime(999);
  expect(passed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(passed).toEqual(['a']);
  expect([push(last, 'b', true), last.take().toString()]).toEqual(['b', '']);
});
