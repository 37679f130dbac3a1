import { toPublicId } from '@agp/core/ids';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import type { SentRequest } from '../../../lifecycle/rolling/send-load.ts';
import type { Replicas } from './start-replicas.ts';

/** What became of the events of all requests. */
export interface Account {
  events: number;
  /** Requests that a provider had, or that were answered in full, without an event. */
  lost: number;
  /** Events that are there twice, and those of no request. */
  duplicates: number;
  brokenChains: number;
  /** Numbers of a proxy's own counter that no event has. */
  gaps: number;
  /** Events that a client of the live stream never got, neither by it nor by asking for what it missed. */
  unseen: number;
}

interface Stamp {
  producer: string;
  producer_seq: number;
}

/** Holds the record against what was sent, and against what the provider got. */
export async function account(
  { system, provider, live }: Pick<Replicas, 'system' | 'provider' | 'live'>,
  sent: readonly SentRequest[],
): Promise<Account> {
  const { rows } = await system.database.pool.query<ChainEntry & { id: string; session_id: string }>(
    'SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY session_id, seq',
  );
  const entries = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
  const ids = new Set(entries.map(({ event_id }) => event_id));
  const chains = Map.groupBy(entries, ({ session_id }) => session_id);
  const broken = [...chains].filter(([id, chain]) => findDivergence(id, chain) !== null);
  const stamps = entries.map(({ payload }) => JSON.parse(payload) as Stamp);
  let gaps = 0;
  for (const [, made] of Map.groupBy(stamps, ({ producer }) => producer))
    gaps += Math.max(...made.map(({ producer_seq }) => producer_seq)) + 1 - made.length;
  const answered = sent.flatMap(({ eventId, failure }) => (failure === null && eventId !== null ? [eventId] : []));
  const missing = answered.filter((id) => !ids.has(id)).length;
  const calls = provider.requests.length;
  return {
    events: entries.length,
    lost: Math.max(missing, calls - ids.size),
    duplicates: entries.length - ids.size + Math.max(0, ids.size - calls),
    brokenChains: broken.length,
    gaps,
    unseen: ids.difference(live.seen).size,
  };
}

/** Failures of requests, as many of a kind as there were. */
export function countFailures(sent: readonly SentRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, failure } of sent) {
    if (failure === null) continue;
    const name = describeFailure(kind, failure);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The kind of a failure, without what differs from one to the next. */
export function describeFailure(kind: SentRequest['kind'], failure: string): string {
  if (kind === 'stream' && failure.includes(' words, and the end')) return 'stream broken off';
  if (/Connect Timeout|Request timed out/.test(failure)) return neverSent;
  if (/ECONNRESET|other side closed|Connection error/.test(failure)) return 'no replica ready';
  const [, status, text = ''] = /^(\d{3}) (.*)$/s.exec(failure) ?? [];
  if (status === undefined) return failure;
  const [, error = text] = /"(?:error|message)":"((?:governance proxy: )?[^":]+)/.exec(text) ?? [];
  return `${status} ${error.replaceAll('"', '').replace(/^governance proxy: /, '')}`;
}

/** The load's own process had no turn for ten seconds. */
export const neverSent = 'never sent, machine too busy';
