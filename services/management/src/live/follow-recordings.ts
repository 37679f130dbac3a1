import { connectBus, logBusStatus, type NatsConnection, subscribeToAnnouncements } from '@agp/bus';
import { type Db, findConsoleSessions, findWorkingSecrets } from '@agp/db';
import type { Logger } from '@agp/runtime';
import type { ManagementConfig } from '../config.ts';
import type { LiveStreams } from './live-streams.ts';

/** The connection that feeds the streams. */
export interface Recordings extends AsyncDisposable {
  /** Rejects while the broker does not answer. */
  check(): Promise<void>;
}

/**
 * Feeds the streams with the writers' announcements. Streams end whenever an announcement may have been missed, at a gap or when the
 * broker is lost, and none is opened while the broker is away. Resolves when it was reached or its first absence was noticed; it is
 * looked for until this is disposed of.
 *
 * @throws ConfigError where the URL is none
 */
export async function followRecordings(
  config: Pick<ManagementConfig, 'natsUrl' | 'natsUrlFile' | 'natsCaFile'>,
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
  // The server must hold the subscription before clients come and backfill. Where it is lost meanwhile, its next return does this.
  const resume = () =>
    flush().then(
      () => streams.resume(),
      () => {},
    );
  streams.suspend();
  const opening = connectBus({
    url: config.natsUrl,
    urlFile: config.natsUrlFile,
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
        streams.endStreams();
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
 * Ends streams whose secret no longer works (deleted, expired or rotated keys) or whose session is over, within a few seconds. While
 * Postgres is away the streams stay open; nothing is recorded then either.
 *
 * @returns stops it
 */
export function endRevokedStreams(db: Db, streams: LiveStreams): () => void {
  let looking = false;
  const look = async () => {
    const { secrets } = streams;
    if (looking || secrets.length === 0) return;
    looking = true;
    try {
      const [working, sessions] = await Promise.all([
        findWorkingSecrets(db, secrets),
        findConsoleSessions(db, secrets),
      ]);
      const keysOfSessions = [...sessions.values()].flatMap(({ key_sha256: key }) => key?.toString('hex') ?? []);
      const workingKeys = await findWorkingSecrets(db, keysOfSessions);
      for (const [token, { key_sha256: key }] of sessions)
        if (key === null || workingKeys.has(key.toString('hex'))) working.add(token);
      const looked = new Set(secrets);
      streams.endStreams((secret) => looked.has(secret) && !working.has(secret));
    } catch {
      // Looked again at the next turn.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), intervalMs);
  return () => clearInterval(timer);
}
