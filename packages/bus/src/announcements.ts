import { type EventAnnouncement, eventAnnouncementSchema } from '@agp/core/events';
import { parseJson } from '@agp/core/json';
import type { NatsConnection } from 'nats';
import { announcementSubject } from './streams.ts';

const encoder = new TextEncoder();

export async function announce(connection: NatsConnection, announcement: EventAnnouncement): Promise<void> {
  connection.publish(announcementSubject, encoder.encode(JSON.stringify(announcement)));
  await connection.flush();
}

const head = /^\{"announcer":"([\w-]{1,64})","announcer_seq":(\d{1,15}),/;
const headLength = 128;

function readHead(bytes: Uint8Array): Pick<EventAnnouncement, 'announcer' | 'announcer_seq'> | null {
  const [, announcer, number] = head.exec(Buffer.from(bytes.subarray(0, headLength)).toString('latin1')) ?? [];
  return announcer === undefined ? null : { announcer, announcer_seq: Number(number) };
}

/** Calls `onGap` before `onBatch` if an announcement of the same announcer is missing or cannot be parsed. */
export function subscribeToAnnouncements(
  connection: NatsConnection,
  onBatch: (announcement: EventAnnouncement) => void,
  onGap: () => void,
  isWanted: () => boolean = () => true,
): () => void {
  const expected = new Map<string, number>();
  const count = ({ announcer, announcer_seq }: Pick<EventAnnouncement, 'announcer' | 'announcer_seq'>) => {
    const next = expected.get(announcer);
    if (next !== undefined && next !== announcer_seq) onGap();
    expected.set(announcer, announcer_seq + 1);
  };
  const subscription = connection.subscribe(announcementSubject, {
    callback: (error, message) => {
      if (error === null && !isWanted()) {
        const passedOver = readHead(message.data);
        return passedOver === null ? onGap() : count(passedOver);
      }
      let announcement: EventAnnouncement;
      try {
        if (error) throw error;
        announcement = eventAnnouncementSchema.parse(parseJson(message.data));
      } catch {
        onGap();
        return;
      }
      count(announcement);
      onBatch(announcement);
    },
  });
  return () => subscription.unsubscribe();
}
