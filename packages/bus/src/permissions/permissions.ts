import {
  announcementSubject,
  eventStream,
  eventSubject,
  keptStream,
  replayConsumer,
  writerConsumer,
} from '../names.ts';

/*
 * Who may do what on NATS. Whatever is not said here is refused: a user who could publish events would write into any agent's chain, one
 * who could listen to another's inbox would hear its answers.
 */

export const natsUsers = ['proxy', 'writer', 'management', 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Where the answers to a user go; its client makes subjects below it (`toInboxPrefix`). */
const inboxOf = (user: NatsUser) => `_INBOX_${user}.>`;

export const natsPermissions: Readonly<Record<NatsUser, Permissions>> = {
  // Fire and forget: it neither reads what it has sent nor touches the stream that keeps it.
  proxy: { publish: [eventSubject], subscribe: [inboxOf('proxy')] },
  writer: {
    publish: [
      announcementSubject,
      `$JS.API.STREAM.INFO.${eventStream}`,
      `$JS.API.STREAM.CREATE.${eventStream}`,
      `$JS.API.STREAM.UPDATE.${eventStream}`,
      // What it keeps for a replay it does not read.
      ...['INFO', 'CREATE', 'UPDATE', 'DELETE'].map((action) => `$JS.API.STREAM.${action}.${keptStream}`),
      `$JS.API.CONSUMER.CREATE.${eventStream}.${writerConsumer}`,
      `$JS.API.CONSUMER.INFO.${eventStream}.${writerConsumer}`,
      `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${writerConsumer}`,
      `$JS.ACK.${eventStream}.${writerConsumer}.>`,
      // The form with a domain and an account before the stream (NATS ADR-15).
      `$JS.ACK.*.*.${eventStream}.${writerConsumer}.>`,
    ],
    subscribe: [inboxOf('writer')],
  },
  management: { publish: [], subscribe: [announcementSubject] },
  // Sends messages again that were set aside, or that a restored database lacks.
  operator: {
    publish: [
      eventSubject,
      `$JS.API.STREAM.INFO.${keptStream}`,
      ...['CREATE', 'INFO', 'DELETE', 'MSG.NEXT'].map(
        (action) => `$JS.API.CONSUMER.${action}.${keptStream}.${replayConsumer}`,
      ),
    ],
    subscribe: [inboxOf('operator')],
  },
};
