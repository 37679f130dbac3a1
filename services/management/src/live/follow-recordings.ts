import { connectBus, logBusStatus, type NatsConnection, subscribeToAnnouncements } from '@agp/bus';
import { type Db, findConsoleSessions, findWorkingSecrets } from '@agp/db';
import { every, type Logger, readUrlAgain } from '@agp/runtime';
import type { ManagementConfig } from '@agp/settings';
import type { LiveStreams } from './live-streams.ts';

export interface Recordings extends AsyncDisposable {
  check(): Promise<void>;
}

/**
 * Feeds the streams with the writers' announcements. Streams end if an announcement may have been missed, and none is opened while the
 * broker is away. Resolves once it was reached or its first absence was noticed.
 */
export async function followRecordings(
  config: Pick<ManagementConfig, 'natsUrl' | 'natsCaFile' | 'files'>,
  streams: LiveStreams,
  logger: Logger,
): Promise<Recordings> {
  const logStatus = logBusStatus(logger);
  const giveUp = new AbortController();
  const missed = Promise.withResolvers<void>();
  let connection: NatsConnection | null = null;
  const flush = async () => {
    if (connection === null) throw new Error('not connected yet');
    await connection.flush();
  };
  // The server must hold the subscription before clients come and backfill.
  const resume = () =>
    flush().then(
      () => streams.resume(),
      () => {},
    );
  streams.suspend();
  const opening = connectBus({
    url: readUrlAgain(config, 'natsUrl', logger),
    caFile: config.natsCaFile,
    name: 'agp-management',
    signal: giveUp.signal,
    onStatus: (status, detail) => {
      logStatus(status, detail);
      if (status === 'waiting') missed.resolve();
      if (status === 'disconnected') streams.suspend();
      if (status === 'reconnected') void resume();
    },
  }).then(async (opened) => {
    connection = opened;
    subscribeToAnnouncements(
      opened,
      ({ events }) => streams.publish(events),
      () => {
        logger.warn('an announcement of recorded events was missed');
        streams.endEventStreams();
      },
      // Most of the time nobody watches, and then reading what writers announce would be for nothing.
      () => streams.size > 0,
    );
    await resume();
  });
  await Promise.race([opening, missed.promise]);
  return {
    check: flush,
    async [Symbol.asyncDispose]() {
      giveUp.abort();
      await opening.catch(() => {});
      await connection?.close();
    },
  };
}

const intervalMs = 2_000;

/**
 * Ends streams whose secret no longer works or whose session is over, within a few seconds. While Postgres is away they stay open; nothing
 * is recorded then either.
 */
export function endRevokedStreams(db: Db, streams: LiveStreams): () => Promise<void> {
  return every(intervalMs, async () => {
    const { secrets } = streams;
    if (secrets.length === 0) return;
    const [working, sessions] = await Promise.all([findWorkingSecrets(db, secrets), findConsoleSessions(db, secrets)]);
    const keysOfSessions = [...sessions.values()].flatMap(({ key_sha256: key }) => key?.toString('hex') ?? []);
    const workingKeys = await findWorkingSecrets(db, keysOfSessions);
    for (const [token, { key_sha256: key }] of sessions)
      if (key === null || workingKeys.has(key.toString('hex'))) working.add(token);
    const looked = new Set(secrets);
    streams.endStreams(({ owner: { secretSha256: secret } }) => looked.has(secret) && !working.has(secret));
  });
}
