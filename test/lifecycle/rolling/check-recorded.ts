import { toPublicId } from '@agp/core/ids';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import { expect } from 'vitest';
import { type System, waitFor } from '../../system/start-system.ts';
import type { SentRequest } from './send-load.ts';

interface Stamp {
  producer: string;
  producer_seq: number;
}

/**
 * Every request has its event within `ms`, and none has two; all chains are whole, and no producer's counter has a gap.
 *
 * @returns the events' ids
 */
export async function expectAllRecorded(
  system: System,
  sent: readonly Pick<SentRequest, 'eventId'>[],
  ms: number,
): Promise<string[]> {
  const { pool } = system.database;
  await waitFor(
    `${sent.length} events`,
    async () => {
      const { rows } = await pool.query<{ count: number }>('SELECT count(*) FROM events');
      return (rows[0]?.count ?? 0) >= sent.length;
    },
    ms,
  );
  const { rows } = await pool.query<ChainEntry & { id: string; session_id: string }>(
    'SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY session_id, seq',
  );
  const entries = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
  const ids = entries.map(({ event_id }) => event_id);
  expect(ids.toSorted()).toEqual(sent.map(({ eventId }) => eventId).toSorted());
  const chains = Map.groupBy(entries, ({ session_id }) => session_id);
  expect([...chains].filter(([id, chain]) => findDivergence(id, chain) !== null)).toEqual([]);

  const stamps = entries.map(({ payload }) => JSON.parse(payload) as Stamp);
  for (const [producer, made] of Map.groupBy(stamps, (stamp) => stamp.producer)) {
    const numbers = made.map(({ producer_seq }) => producer_seq).toSorted((one, other) => one - other);
    expect(numbers, producer).toEqual(Array.from({ length: made.length }, (_, index) => index));
  }
  return ids;
}
