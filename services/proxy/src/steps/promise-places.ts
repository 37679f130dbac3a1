import type { Outbox } from '@agp/bus';
import { ApiError } from '@agp/core/errors';
import type { ProxyConfig } from '../config.ts';
import type { Working } from '../context.ts';
import type { Head } from '../journey.ts';

interface Promising {
  config: Pick<ProxyConfig, 'audit'>;
  outbox: Pick<Outbox, 'size' | 'capacity'>;
  load: Pick<Working['load'], 'promised'>;
}

/**
 * Reserves outbox places for the request's events. Requests admitted together cannot take each other's.
 * @returns how many; the caller gives each back when its event is in the outbox
 * @throws ApiError `audit_unavailable` with `AUDIT=strict`, if there are not enough
 */
export function promisePlaces(
  { config, outbox, load }: Promising,
  { requestEventId }: Pick<Head, 'requestEventId'>,
): number {
  const places = requestEventId ? 2 : 1;
  if (config.audit === 'strict' && outbox.size + load.promised + places > outbox.capacity) {
    throw new ApiError('audit_unavailable');
  }
  load.promised += places;
  return places;
}
