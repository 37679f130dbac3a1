import { randomUUIDv7 } from 'node:crypto';
import { type Db, keepBootstrapKey } from '@agp/db';
import { ConfigError, describeFailure, keepTrying, type Logger } from '@agp/runtime';
import { digestSecret } from './issue-secret.ts';

/**
 * Stores the configured key as soon as Postgres accepts it: it may be away, or not have its schema yet. Each reason is logged once.
 *
 * @throws ConfigError where another key has this secret
 */
export async function waitForBootstrapKey(db: Db, secret: string, logger: Logger): Promise<void> {
  const id = randomUUIDv7();
  let told = '';
  const isKept = await keepTrying(() => keepBootstrapKey(db, id, digestSecret(secret)), {
    onFailure: (failure) => {
      const error = describeFailure(failure);
      if (error !== told) logger.warn({ error }, 'DATABASE_URL: the database cannot be used yet; it is tried again');
      told = error;
    },
  });
  if (isKept) return;
  throw new ConfigError('MANAGEMENT_API_KEY: is the secret of a key that was made through the API; it needs its own');
}
