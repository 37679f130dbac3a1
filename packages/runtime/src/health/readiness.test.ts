import { expect, test } from 'vitest';
import { Readiness } from './readiness.ts';

/** A dependency that fails on demand, and the reports about it. */
function watchDependency() {
  const reports: [string, string | null][] = [];
  const state = { failure: new Error('not yet') as Error | null };
  const check = async () => {
    if (state.failure) throw state.failure;
  };
  const readiness = new Readiness({ postgres: check }, { onChange: (...change) => reports.push(change) });
  // The tests call look() themselves.
  readiness.stop();
  readiness.serve();
  return { readiness, state, reports };
}

test('a failure is reported once, again when its reason changes, and when it is over', async () => {
  const { readiness, state, reports } = watchDependency();
  await readiness.look();
  await readiness.look();
  expect(reports).toEqual([['postgres', 'not yet']]);
  state.failure = new Error('storage unavailable', { cause: new AggregateError([new Error('connection refused')]) });
  await readiness.look();
  expect(reports.at(-1)).toEqual(['postgres', 'connection refused']);
  expect(readiness.reasons).toEqual(['postgres']);
  state.failure = null;
  await readiness.look();
  await readiness.look();
  expect(reports.slice(2)).toEqual([['postgres', null]]);
  expect(readiness.reasons).toEqual([]);
});

test('the third failure in a row makes a process unready, and only then is it reported', async () => {
  const { readiness, state, reports } = watchDependency();
  state.failure = null;
  await readiness.look();
  state.failure = new Error('gone');
  await readiness.look();
  await readiness.look();
  expect([readiness.reasons, reports]).toEqual([[], []]);
  await readiness.look();
  expect([readiness.reasons, reports]).toEqual([['postgres'], [['postgres', 'gone']]]);
});

test('a dispensable dependency is named and does not make a process unready', async () => {
  const gone = async () => {
    throw new Error('gone');
  };
  const readiness = new Readiness({ postgres: async () => {}, nats: gone }, { dispensable: ['nats'] });
  readiness.stop();
  readiness.serve();
  await readiness.look();
  expect([readiness.reasons, readiness.without]).toEqual([[], ['nats']]);
});

test('a draining process is unready, whatever its dependencies do', async () => {
  const { readiness } = watchDependency();
  readiness.drain();
  expect(readiness.reasons).toEqual(['draining', 'postgres']);
});

test('a process is not ready before serve() is called', async () => {
  const readiness = new Readiness({});
  readiness.stop();
  await readiness.look();
  expect(readiness.reasons).toEqual(['starting']);
  readiness.serve();
  expect(readiness.reasons).toEqual([]);
});
