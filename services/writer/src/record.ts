import { uuidOf } from '@agp/core/ids';
import {
  addUnrecordedSpend,
  CountedNames,
  chargeEvent,
  isBadData,
  type Pool,
  type RecordedEvents,
  recordEvents,
} from '@agp/db';
import { keepTrying } from '@agp/runtime';
import type { HeldEvent } from './decode.ts';
import type { WriterMetrics } from './metrics.ts';
import type { Quarantine } from './quarantine.ts';

export type RecordBatch = (batch: readonly HeldEvent[]) => Promise<RecordedEvents>;

interface RecordOptions {
  pool: Pool;
  quarantine: Quarantine;
  metrics: WriterMetrics;
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
}

/**
 * Retries until recording works; if Postgres refuses the data itself, the batch is halved until the bad event is alone and set aside.
 */
export function makeRecord({ pool, quarantine, metrics, signal, onFailure }: RecordOptions): RecordBatch {
  const counted = new CountedNames();
  /** An event that is set aside was spent too, and counts against the caps of its day. */
  const keepSpend = async ({ event }: HeldEvent) => {
    const charges = await keepTrying(() => chargeEvent(pool, counted, event), { signal, onFailure });
    const spend = {
      charges,
      eventId: uuidOf('evt', event.id),
      agentId: uuidOf('agt', event.agent_id),
      day: event.timestamp.slice(0, 10),
      costNanoUsd: event.cost_nano_usd,
      reason: 'set_aside' as const,
      request: { sessionId: event.session_id, provider: event.provider, model: event.model },
    };
    await keepTrying(() => addUnrecordedSpend(pool, [spend]), { signal, onFailure });
  };
  const record: RecordBatch = async (batch) => {
    try {
      const events = batch.map(({ event }) => event);
      return await keepTrying(() => recordEvents(pool, events, counted), { signal, onFailure, isFinal: isBadData });
    } catch (error) {
      if (!isBadData(error)) throw error;
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) {
        await keepSpend(only);
        await quarantine([{ delivered: only.delivered, code: error.code, reason: error.message }]);
        return { recorded: [], known: [] };
      }
      const middle = Math.ceil(batch.length / 2);
      const first = await record(batch.slice(0, middle));
      const second = await record(batch.slice(middle));
      return {
        recorded: [...first.recorded, ...second.recorded],
        known: [...first.known, ...second.known],
      };
    }
  };
  return async (batch) => {
    const result = await record(batch);
    metrics.countBatch(batch.length, result);
    return result;
  };
}
