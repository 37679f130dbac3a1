import type { RunningState } from '@agp/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StopReason } from '../journey.ts';
import { RunningRequests, watchRunning } from './running-requests.ts';

const none: RunningState = { paused: false, blocked: new Set(), policyVersion: 0 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function run(requests: RunningRequests, agentId: string) {
  const stops: StopReason[] = [];
  return { stops, end: requests.add({ agentId, stop: (reason) => stops.push(reason) }) };
}

type Read = (agentIds: string[]) => Promise<RunningState>;
const watch = (
  runningRequests: RunningRequests,
  readRunningStates: Read,
  storageUnreadable = (_: Error): unknown => null,
) =>
  watchRunning({
    runningRequests,
    storage: { readRunningStates },
    rules: { at: () => Promise.reject(new Error('there is no policy')) },
    warnings: { storageUnreadable },
  });

test('a block stops the requests of that agent, a pause those of all; a request stopped by both gets the block', () => {
  const requests = new RunningRequests();
  const [first, second, other] = [run(requests, 'a'), run(requests, 'a'), run(requests, 'b')];
  second.end();
  expect(requests.listAgents()).toEqual(['a', 'b']);
  requests.stopForbidden(none);
  requests.stopForbidden({ paused: false, blocked: new Set(['a']) });
  expect([first.stops, second.stops, other.stops]).toEqual([['agent_blocked'], [], []]);
  requests.stopForbidden({ paused: true, blocked: new Set(['a']) });
  expect([first.stops, other.stops]).toEqual([['agent_blocked', 'agent_blocked'], ['paused']]);
});

test('each half second one query asks about the agents that are served, while there are any', async () => {
  const requests = new RunningRequests();
  const read = vi.fn(async (_: string[]) => none);
  const stop = watch(requests, read);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read).not.toHaveBeenCalled();
  const { end } = run(requests, 'a');
  run(requests, 'a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read.mock.calls).toEqual([[['a']], [['a']]]);
  end();
  void stop();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(read).toHaveBeenCalledTimes(2);
});

test('while storage is silent or fails nothing is stopped and no second query piles up; then the next look does it', async () => {
  const requests = new RunningRequests();
  const running = run(requests, 'a');
  const failures: Error[] = [];
  const silent = Promise.withResolvers<RunningState>();
  const read = vi
    .fn<(agentIds: string[]) => Promise<RunningState>>()
    .mockReturnValueOnce(silent.promise)
    .mockResolvedValue({ paused: true, blocked: new Set(), policyVersion: 0 });
  const stop = watch(requests, read, (error) => failures.push(error));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(read).toHaveBeenCalledTimes(1);
  silent.reject(new Error('storage is away'));
  await vi.advanceTimersByTimeAsync(0);
  expect([failures.length, running.stops]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(500);
  expect(running.stops).toEqual(['paused']);
  void stop();
});
