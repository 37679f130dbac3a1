import {
  announcementSubject,
  eventStream,
  eventSubject,
  keptStream,
  replayConsumer,
  writerConsumer,
} from './streams.ts';

/** A user that publishes events can write into any agent's chain; one that listens to an inbox reads its answers. */

export const natsUsers = ['proxy', 'writer', 'management', 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

const inboxOf = (user: NatsUser) => `_INBOX_${user}.>`;

export const natsPermissions: Readonly<Record<NatsUser, Permissions>> = {
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
  // Publishes quarantined messages again, and the ones a restored database lacks.
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

interface NatsConfigOptions {
  /** Passwords have letters, digits, `-` and `_` alone, in clear text: the file is as secret as they are. */
  passwords: Readonly<Record<NatsUser, string>>;
  administrator?: { user: string; password: string };
  storeFolder: string;
  jetstream?: Readonly<Record<string, string>>;
  tls?: { certFile: string; keyFile: string };
}

export function renderNatsConfig(options: NatsConfigOptions): string {
  const { tls, administrator } = options;
  const users = natsUsers.map((user) => renderUser(user, options.passwords[user], natsPermissions[user]));
  if (administrator) users.push(renderUser(administrator.user, administrator.password, null));
  return [
    'jetstream {',
    `  store_dir: ${quote(options.storeFolder)}`,
    ...Object.entries(options.jetstream ?? {}).map(([name, value]) => `  ${name}: ${value}`),
    '}',
    ...(tls ? ['tls {', `  cert_file: ${quote(tls.certFile)}`, `  key_file: ${quote(tls.keyFile)}`, '}'] : []),
    'authorization {',
    '  users: [',
    ...users,
    '  ]',
    '}',
    '',
  ].join('\n');
}

function renderUser(user: string, password: string, permissions: Permissions | null): string {
  // Other characters may have a meaning to NATS: `$2a$` makes the password a hash.
  if (!/^[A-Za-z0-9_-]+$/.test(password)) throw new TypeError(`the password of NATS user ${user} has other characters`);
  const rights = permissions === null ? '' : `, permissions: { ${renderPermissions(permissions)} }`;
  return `    { user: ${quote(user)}, password: ${quote(password)}${rights} }`;
}

function renderPermissions({ publish, subscribe }: Permissions): string {
  return `publish: ${renderSubjects(publish)}, subscribe: ${renderSubjects(subscribe)}`;
}

/** To NATS, an empty list of allowed subjects allows everything. */
function renderSubjects(subjects: readonly string[]): string {
  return subjects.length === 0 ? '{ deny: ">" }' : `{ allow: [${subjects.map(quote).join(', ')}] }`;
}

/** NATS' configuration quotes strings as JSON does, except for `\u`. */
const quote = (text: string) => JSON.stringify(text);
