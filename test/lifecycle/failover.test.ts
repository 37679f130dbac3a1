import { expect, test } from 'vitest';
import { natsLosses } from '../prove/stories/failover/nats-losses.ts';
import { losePrimary } from '../prove/stories/failover/postgres-losses.ts';
import { disturbances, loseReservations } from '../prove/stories/failover/redis-losses.ts';
import { startReplicas } from '../prove/stories/failover/start-replicas.ts';
import { loseUnderLoad, shortSize } from '../prove/stories/failover/under-load.ts';
import { unreported } from '../prove/story.ts';

test('the leader of three NATS servers is killed, then another paused: no event is lost', async () => {
  await using replicas = await startReplicas({ nats: 'cluster' });
  await loseUnderLoad(replicas, natsLosses['leader-killed'], shortSize);
  await loseUnderLoad(replicas, natsLosses['leader-paused'], shortSize);
});

test('a standby that is behind is promoted: what it lacks is found again', async () => {
  await using replicas = await startReplicas({ ownPostgres: 'pair' });
  let missing = 0;
  const report = () => (figures: object) => {
    missing = Number(Object.entries(figures).find(([name]) => name.startsWith('acknowledged'))?.[1] ?? missing);
  };
  await loseUnderLoad(replicas, losePrimary(false, report), shortSize);
  expect(missing).toBeGreaterThan(0);
});

test('the memory of Redis is full: BUDGET=strict passes no cap', async () => {
  await using replicas = await startReplicas({ redis: 'pair', environment: { BUDGET: 'strict' } });
  const loss = loseReservations(disturbances['full-noeviction'], true, () => unreported);
  await loseUnderLoad(replicas, loss, shortSize);
});
