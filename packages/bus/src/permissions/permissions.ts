import {
  announcementSubject,
  eventStream,
  eventSubject,
  keptStream,
  replayConsumer,
  writerConsumer,
} from '../names.ts';

/*
 * The rights on NATS; everything else is refused. A user who could publish events could write into any agent's chain, and one who could
 * listen to another's inbox would read its answers.
 */

export const natsUsers = ['proxy', 'writer', 'management', 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** The subjects for answers to a user; its client makes them (`toInboxPrefix`). */
const inboxOf = (user: NatsUser) => `_INBOX_${user}.>`;

export const natsPermissions: Readonly<Record<NatsUser, Permissions>> = {
  // It only publishes: it reads nothing and does not touch the stream.
  proxy: { publish: [eventSubject], subscribe: [inboxOf('proxy')] },
  writer: {
    publish: [
      announcementSubject,
      `$JS.API.STREAM.INFO.${eventStream}`,
      `$JS.API.STREAM.CREATE.${eventStream}`,
      `$JS.API.STREAM.UPDATE.${eventStream}`,
      // The writer manages the kept stream, but cannot read it.
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
  // Publishes quarantined messages again, and those that a restored database lacks.
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
