import { expect, test } from 'vitest';
import { Readiness } from './readiness.ts';

/** A dependency that fails as it is told to, and what was told of it. */
function watchDependency() {
  const told: [string, string | null][] = [];
  const state = { failure: new Error('not yet') as Error | null };
  const check = async () => {
    if (state.failure) throw state.failure;
  };
  const readiness = new Readiness({ postgres: check }, { onChange: (...change) => told.push(change) });
  // Looked at by hand alone.
  readiness.stop();
  readiness.serve();
  return { readiness, state, told };
}

test('why a process cannot serve is told once, again where the reason changes, and that it is over', async () => {
  const { readiness, state, told } = watchDependency();
  await readiness.look();
  await readiness.look();
  expect(told).toEqual([['postgres', 'not yet']]);
  state.failure = new Error('storage unavailable', { cause: new AggregateError([new Error('connection refused')]) });
  await readiness.look();
  expect(told.at(-1)).toEqual(['postgres', 'connection refused']);
  expect(readiness.reasons).toEqual(['postgres']);
  state.failure = null;
  await readiness.look();
  await readiness.look();
  expect(told.slice(2)).toEqual([['postgres', null]]);
  expect(readiness.reasons).toEqual([]);
});

test('one that serves becomes unready with the third failure in a row, and tells of nothing before', async () => {
  const { readiness, state, told } = watchDependency();
  state.failure = null;
  await readiness.look();
  state.failure = new Error('gone');
  await readiness.look();
  await readiness.look();
  expect([readiness.reasons, told]).toEqual([[], []]);
  await readiness.look();
  expect([readiness.reasons, told]).toEqual([['postgres'], [['postgres', 'gone']]]);
});

test('a process that drains says so, whatever its dependencies do', async () => {
  const { readiness } = watchDependency();
  readiness.drain();
  expect(readiness.reasons).toEqual(['draining', 'postgres']);
});

test('a process is not ready before it says that it serves', async () => {
  const readiness = new Readiness({});
  readiness.stop();
  await readiness.look();
  expect(readiness.reasons).toEqual(['starting']);
  readiness.serve();
  expect(readiness.reasons).toEqual([]);
});
