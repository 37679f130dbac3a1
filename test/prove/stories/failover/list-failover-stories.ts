import type { Report, Story } from '../../story.ts';
import { fullStream, natsLosses } from './nats-losses.ts';
import { losePrimary, pausePrimary } from './postgres-losses.ts';
import { disturbances, loseReservations } from './redis-losses.ts';
import { type ClusterOptions, startReplicas } from './start-replicas.ts';
import { type Loss, loseUnderLoad, shortSize, usualSize } from './under-load.ts';

interface Told {
  name: string;
  promise: string;
  options: ClusterOptions;
  /** @param report where to report figures of its own */
  makeLoss(report: () => Report): Loss;
}

const tell = (name: string, promise: string, options: ClusterOptions, makeLoss: Told['makeLoss']): Told => ({
  name,
  promise,
  options,
  makeLoss,
});

const nats = Object.entries(natsLosses).map(([name, loss]) =>
  tell(
    `nats-${name}`,
    `With the ${name.replace(/-/g, ' ')} of three NATS servers for 15 seconds no request fails and no event is lost.`,
    { nats: 'cluster' },
    () => loss,
  ),
);

const postgres = [
  tell(
    'postgres-synchronous',
    'The primary is killed, its synchronous standby promoted: no event is lost, and the old primary gets none.',
    { ownPostgres: 'pair' },
    (report) => losePrimary(true, report),
  ),
  tell(
    'postgres-asynchronous',
    'The same with a standby that is behind: what it lacks is found again by a replay.',
    { ownPostgres: 'pair' },
    (report) => losePrimary(false, report),
  ),
  tell(
    'postgres-two-primaries',
    'A primary that hangs goes on after its standby was promoted: it is left, and what it recorded is found again.',
    { ownPostgres: 'pair' },
    (report) => pausePrimary(report),
  ),
];

const redis = Object.entries(disturbances).flatMap(([name, disturb]) =>
  (['available', 'strict'] as const).map((budget) =>
    tell(
      `redis-${name}-${budget}`,
      budget === 'strict'
        ? `Redis ${name.replace('-', ' with ')}: BUDGET=strict passes no cap.`
        : `Redis ${name.replace('-', ' with ')}: a cap is passed by no more than is in flight.`,
      { redis: 'pair', environment: { BUDGET: budget } },
      (report) => loseReservations(disturb, budget === 'strict', report),
    ),
  ),
);

const full = tell(
  'nats-full',
  'With the stream full for 15 seconds no request fails, and no event is lost.',
  { environment: { EVENT_STREAM_MAX_BYTES: '1000000' } },
  () => fullStream,
);

/** One of each kind, of the small stories that run before a release. */
const shortNames = new Set([
  'nats-leader-killed',
  'nats-leader-cut-off',
  'postgres-asynchronous',
  'postgres-two-primaries',
  'redis-full-noeviction-strict',
]);

/** The loss of any one server, under a load of requests and streams. */
export const listFailoverStories = (perSecond: number, isShort: boolean): Story[] =>
  [...nats, full, ...postgres, ...redis].map(({ name, promise, options, makeLoss }) => ({
    name: `failover-${name}`,
    promise,
    isApart: !(isShort && shortNames.has(name)),
    async run(report) {
      const loss = makeLoss(() => report);
      await using replicas = await startReplicas(options);
      await loseUnderLoad(replicas, loss, isShort ? shortSize : { ...usualSize, perSecond }, report);
    },
  }));
