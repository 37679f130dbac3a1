import { expect, test, vi } from 'vitest';
import { inTurns } from './turns.ts';

test('long works take turns, and others are served in between', async () => {
  let now = 0;
  // Each step takes a whole turn.
  using _ = vi.spyOn(performance, 'now').mockImplementation(() => (now += 100));
  const seen: string[] = [];
  function* work(name: string): Generator<undefined, string> {
    for (let step = 0; step < 3; step += 1) {
      seen.push(name);
      yield;
    }
    return `${name} is done`;
  }
  const serve = () => {
    seen.push('-');
    if (seen.length < 20) setImmediate(serve);
  };
  setImmediate(serve);
  expect(await Promise.all([inTurns(work('a')), inTurns(work('b'))])).toEqual(['a is done', 'b is done']);
  // In the first turn each takes its first step.
  expect(seen.join('').replace(/-+/g, '-')).toMatch(/^aab-a-b-b/);
});

test('short work ends at once', async () => {
  function* count() {
    yield;
    return 1;
  }
  expect(await inTurns(count())).toBe(1);
});
