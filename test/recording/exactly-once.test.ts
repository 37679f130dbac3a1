import { test } from 'vitest';
import { recordExactlyOnce } from '../prove/stories/exactly-once.ts';
import { startProcesses } from '../system/start-processes.ts';

test('events through two writers, of which one is killed, are each recorded once, in chains that verify and totals that are their sums', async () => {
  await using system = await startProcesses({ proxies: 0, writers: 2, within: ['management'] });
  await recordExactlyOnce(system, { events: 2_000, kills: 1, hurried: true });
});
