import { test } from 'vitest';
import { killUnderLoad, quick, restartAll, startReplicas } from '../prove/stories/rolling-restart.ts';

test('a proxy, a writer and a management are replaced under load: no request fails, no event is lost, no client of the live stream misses one', async () => {
  await using replicas = await startReplicas(quick);
  await restartAll(replicas, { perSecond: 20, rounds: 1, short: true });
});

test('a writer and a management are killed under load: no request fails, and what they had in hand is recorded and seen', async () => {
  await using replicas = await startReplicas(quick, ['proxy']);
  await killUnderLoad(replicas, { perSecond: 20, kills: 1, between: 10, short: true });
});
