import { runSql } from '@agp/testing';
import { expect } from 'vitest';
import type { ProcessSystem } from '../../system/start-processes.ts';
import { before, openReleaseBefore, type Release, thisRelease } from '../release.ts';
import type { Report, Story } from '../story.ts';
import { restartAll, startReplicas, usual } from './rolling-restart.ts';

/** In place of the migrated database that a system gets: an empty one, as that release makes it. */
async function makeAnew(release: Release, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const others = Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href;
  await runSql(others, `DROP DATABASE "${name}" WITH (FORCE)`);
  await release.operate('create-roles', databaseUrl);
  await release.operate('migrate', databaseUrl);
}

/** Which sessions have events of both releases: payloads of the older one are of the first version. */
async function countMixedChains({ database }: ProcessSystem): Promise<{ chains: number; mixed: number }> {
  const { rows } = await database.pool.query<{ chains: number; mixed: number }>(
    `SELECT count(*)::int AS chains, count(*) FILTER (WHERE versions > 1)::int AS mixed
     FROM (SELECT count(DISTINCT payload::json ->> 'v') AS versions FROM events GROUP BY session_id) AS sessions`,
  );
  return rows[0] ?? { chains: 0, mixed: 0 };
}

async function upgradeAndBack(isShort: boolean, report: Report): Promise<void> {
  const old = await openReleaseBefore();
  let running = old;
  await using replicas = await startReplicas(usual, [], {
    ownPostgres: true,
    programOf: (name) => running.programOf(name),
    prepareDatabase: (databaseUrl) => makeAnew(old, databaseUrl),
  });
  const { system } = replicas;
  report({ from: before.version });
  const beforeRound = async (round: number) => {
    running = round === 0 ? thisRelease : old;
    // The way back leaves the schema as it is.
    if (running !== thisRelease) return;
    await thisRelease.operate('create-roles', system.stack.databaseUrl);
    await thisRelease.operate('migrate', system.stack.databaseUrl);
  };
  const size = { perSecond: isShort ? 10 : 50, rounds: 2, short: isShort };
  await restartAll(replicas, { ...size, beforeRound }, report);
  const { chains, mixed } = await countMixedChains(system);
  report({ chains, 'with events of both releases': mixed });
  expect(mixed).toBeGreaterThan(0);
}

export const upgradeStory = (isShort: boolean): Story => ({
  name: 'upgrade',
  promise: `Every process is replaced by this release's and back by ${before.version}'s under load: none refused, none lost, one chain.`,
  run: (report) => upgradeAndBack(isShort, report),
});
