import { startFakeProvider } from '@agp/testing/providers';
import { test } from 'vitest';
import { answerSlowly, crossMidnight, setClocks } from '../prove/stories/wrong-clocks.ts';
import { type ProcessOptions, type ProcessSystem, startProcesses } from '../system/start-processes.ts';

async function withSystem(options: ProcessOptions, work: (system: ProcessSystem) => Promise<void>): Promise<void> {
  await using provider = await startFakeProvider(answerSlowly);
  await using system = await startProcesses({
    proxies: 0,
    ...options,
    environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'fatal' },
  });
  await work(system);
}

test('a proxy whose clock is set by an hour, forward and back, fails no request, and events, sessions and caps stay right', () =>
  withSystem({ within: ['management', 'writer'] }, (system) => setClocks(system, { each: 30, room: 12 })));

test('over midnight a cap admits what it has room for, on both days', () =>
  withSystem({ writers: 0, within: [] }, (system) => crossMidnight(system, { before: 1_000, atOnce: 9, room: 20 })));
