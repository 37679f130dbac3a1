import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, replayKeptEvents } from '@agp/bus';
import { runSql } from '@agp/testing';
import { expect } from 'vitest';
import type { Report } from '../../story.ts';
import type { Replicas } from './start-replicas.ts';
import type { Loss } from './under-load.ts';

/** While no primary is there every request is refused, and balancers find no replica ready. */
const mayFail = ['503 agent status unavailable', 'no replica ready'];

/** The name of the database on one of the two servers, which may be no primary any more. */
function onServer({ system }: Replicas, serverUrl: string): string {
  const { pathname } = new URL(system.stack.urls.migrator.databaseUrl);
  return Object.assign(new URL(serverUrl), { pathname }).href;
}

async function readIds(url: string): Promise<Set<string>> {
  return new Set((await runSql(url, 'SELECT id FROM events')).map(({ id }) => String(id)));
}

/** How long whoever watches over the pair takes to see that the primary is gone. */
const detectionMs = 3_000;

/** The primary is killed, its standby promoted, and the old primary comes back by itself, with what the standby did not get. */
export const losePrimary = (isSynchronous: boolean, report: () => Report): Loss => {
  let before = new Date();
  let fork: Set<string>;
  return {
    mayFail,
    async happen(replicas, { awayMs }) {
      const { postgresPair } = replicas.system.stack;
      const { primary } = postgresPair;
      await postgresPair.setSynchronous(isSynchronous);
      before = new Date();
      if (!isSynchronous) {
        postgresPair.leaveBehind();
        await sleep(Math.min(1_000, awayMs));
      }
      await primary.kill();
      await sleep(Math.min(detectionMs, awayMs));
      await postgresPair.promote();
      await sleep(awayMs);
      await primary.start();
      fork = await readIds(onServer(replicas, primary.url));
    },
    async mend(replicas) {
      const { primary, standby } = replicas.system.stack.postgresPair;
      expect(await readIds(onServer(replicas, primary.url))).toEqual(fork);
      const missing = await findAgain(replicas, before, fork, onServer(replicas, standby.url), report());
      if (isSynchronous) expect(missing).toBe(0);
    },
  };
};

/** The primary hangs, its standby is promoted, and the old primary goes on as if nothing had happened. */
export const pausePrimary = (report: () => Report): Loss => {
  let before = new Date();
  return {
    mayFail,
    async happen(replicas, { awayMs }) {
      const { postgresPair } = replicas.system.stack;
      before = new Date();
      postgresPair.primary.pause();
      await sleep(Math.min(detectionMs, awayMs));
      await postgresPair.promote();
      await sleep(awayMs);
      postgresPair.primary.resume();
    },
    async mend(replicas) {
      const { primary, standby } = replicas.system.stack.postgresPair;
      const fork = await readIds(onServer(replicas, primary.url));
      await sleep(2_000);
      expect(await readIds(onServer(replicas, primary.url))).toEqual(fork);
      await findAgain(replicas, before, fork, onServer(replicas, standby.url), report());
    },
  };
};

/** What the old primary alone has is replayed from JetStream. @returns how many events that was */
async function findAgain(
  replicas: Replicas,
  since: Date,
  fork: Set<string>,
  url: string,
  report: Report,
): Promise<number> {
  const missing = fork.difference(await readIds(url));
  report({ 'acknowledged, and not on the standby': missing.size });
  if (missing.size > 0) {
    const { natsUrl } = replicas.system.stack.urls.operator;
    const connection = await connectBus({ url: natsUrl, name: 'agp-operator' });
    const replayed = await replayKeptEvents(connection, since);
    await connection.close();
    report({ 'published again': replayed.events });
  }
  return missing.size;
}
