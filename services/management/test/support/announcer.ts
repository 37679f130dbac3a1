import { randomUUID } from 'node:crypto';
import { announce, connectBus } from '@agp/bus';
import type { AnnouncedEvent, EventMessage } from '@agp/core/events';

/** Announces events as a writer does. */
export interface Announcer extends AsyncDisposable {
  announce(events: AnnouncedEvent[]): Promise<void>;
  /** Counts an announcement that nobody gets. */
  loseOne(): void;
  /** Sends any bytes where announcements go. */
  publish(subject: string, bytes: string): Promise<void>;
}

export async function startAnnouncer(natsUrl: string): Promise<Announcer> {
  const connection = await connectBus({ url: natsUrl, name: 'test-writer' });
  const announcer = randomUUID();
  let seq = 0;
  return {
    async announce(events) {
      await announce(connection, { announcer, announcer_seq: seq, events });
      seq += 1;
    },
    loseOne() {
      seq += 1;
    },
    async publish(subject, bytes) {
      connection.publish(subject, new TextEncoder().encode(bytes));
      await connection.flush();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** What the writer says of a recorded event. */
export function toAnnounced(event: EventMessage, lineageHash = `sha256:${'0'.repeat(64)}`): AnnouncedEvent {
  return {
    id: event.id,
    agent_id: event.agent_id,
    session_id: event.session_id,
    timestamp: event.timestamp,
    model: event.model,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    cost_usd: event.cost_nano_usd / 1e9,
    compliance_tag: event.compliance_tag,
    lineage_hash: lineageHash,
    pii_detected: event.pii_detected,
    pii_types: event.pii_types,
  };
}
