import { type NatsUser, natsPermissions, natsUsers, type Permissions } from './permissions.ts';

export interface NatsConfigOptions {
  /** Of letters, digits, `-` and `_`. The file holds them in clear text and is as secret as they are. */
  passwords: Readonly<Record<NatsUser, string>>;
  /** A user with all rights. Default none. */
  administrator?: { user: string; password: string };
  /** Where JetStream keeps its streams. */
  storeFolder: string;
  /** More settings of JetStream, such as `sync_interval`. */
  jetstream?: Readonly<Record<string, string>>;
  /** With it the server requires TLS. */
  tls?: { certFile: string; keyFile: string };
}

/** The configuration file of a NATS server, with a user of limited rights for each service. */
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
  // Other characters may have a meaning to NATS: `$2a$` makes the password a hash, for example.
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
