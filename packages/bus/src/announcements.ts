import { type EventAnnouncement, eventAnnouncementSchema } from '@agp/core/events';
import { parseJson } from '@agp/core/json';
import type { NatsConnection } from 'nats';
import { announcementSubject } from './names.ts';

const encoder = new TextEncoder();

/** Announces a recorded batch and waits until the server has it. Delivered at most once: a listener that misses it reads Postgres. */
export async function announce(connection: NatsConnection, announcement: EventAnnouncement): Promise<void> {
  connection.publish(announcementSubject, encoder.encode(JSON.stringify(announcement)));
  await connection.flush();
}

/**
 * Calls `onBatch` with each announcement, in order, and `onGap` before it if one of the same announcer is missing. An announcement
 * that does not parse is a gap too.
 *
 * @returns a function that ends the subscription
 */
export function subscribeToAnnouncements(
  connection: NatsConnection,
  onBatch: (announcement: EventAnnouncement) => void,
  onGap: () => void,
): () => void {
  const expected = new Map<string, number>();
  const subscription = connection.subscribe(announcementSubject, {
    callback: (error, message) => {
      let announcement: EventAnnouncement;
      try {
        if (error) throw error;
        announcement = eventAnnouncementSchema.parse(parseJson(message.data));
      } catch {
        onGap();
        return;
      }
      const { announcer, announcer_seq } = announcement;
      const next = expected.get(announcer);
      if (next !== undefined && next !== announcer_seq) onGap();
      expected.set(announcer, announcer_seq + 1);
      onBatch(announcement);
    },
  });
  return () => subscription.unsubscribe();
}
