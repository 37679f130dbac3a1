import { randomUUID } from 'node:crypto';
import { announce, connectBus } from '@agp/bus';
import type { AnnouncedEvent } from '@agp/core/events';

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
