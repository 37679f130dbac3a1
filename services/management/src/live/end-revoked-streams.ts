import { type Db, findConsoleSessions, findWorkingSecrets } from '@agp/db';
import type { LiveStreams } from './live-streams.ts';

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
