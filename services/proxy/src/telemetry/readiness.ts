import type { Outbox } from '@agp/bus';
import { createStorageChecks, type Pool } from '@agp/db';
import { type Logger, logReadiness, Readiness } from '@agp/runtime';
import type { ProxyConfig } from '../config.ts';

/** NATS must have been there once; later the outbox bridges its absence, which must not make every replica unready. */
export function createReadiness(
  { audit }: Pick<ProxyConfig, 'audit'>,
  pool: Pool,
  logger: Logger,
  findOutbox: () => Outbox | null,
): Readiness {
  const checks = {
    ...createStorageChecks(pool),
    nats: async () => {
      if (findOutbox() === null) throw new Error('not connected yet');
    },
    outbox: async () => {
      const outbox = findOutbox();
      if (audit === 'strict' && outbox && outbox.size >= outbox.capacity) throw new Error('the outbox is full');
    },
  };
  return new Readiness(checks, { onChange: logReadiness(logger) });
}
