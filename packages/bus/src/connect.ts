import { setTimeout } from 'node:timers/promises';
import { LoginUrls, type ServerUrl } from '@agp/core/login-urls';
import { connect, createInbox, ErrorCode, type NatsConnection, type NatsError, type TlsOptions } from 'nats';

interface BusAddress {
  servers: string[];
  host: string;
  user: string | undefined;
  pass: string | undefined;
  tls: boolean;
}

/** The URL cannot be used; the message never quotes it, since it holds a password. */
export class BusUrlError extends Error {
  readonly code = 'invalid_bus_url';
}

/** Reads `nats://user:password@one:4222,two:4222`; the client library ignores the user and password in a URL. */
export function readBusUrl(text: string): BusAddress {
  const urls = text.split(',').map((part) => parse(part.trim()));
  const [first] = urls;
  if (first === undefined || urls.some(({ protocol }) => !isScheme(protocol)))
    throw new BusUrlError('the NATS URL must begin with nats:// or tls://');
  if (urls.some(({ hostname }) => hostname === '')) throw new BusUrlError('the NATS URL names no host');
  if (
    urls.some(
      ({ username, password }) => username !== '' && (username !== first.username || password !== first.password),
    )
  )
    throw new BusUrlError('the NATS URL has different users for the servers of one cluster');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    host: first.hostname.replace(/^\[|\]$/g, ''),
    user: first.username === '' ? undefined : decodeURIComponent(first.username),
    pass: first.username === '' ? undefined : decodeURIComponent(first.password),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
  };
}

const isScheme = (protocol: string) => protocol === 'nats:' || protocol === 'tls:';

function parse(part: string): URL {
  const url = URL.parse(part.includes('://') ? part : `nats://${part}`);
  if (url === null)
    throw new BusUrlError(
      'the NATS URL is not valid; characters with a meaning in URLs must be percent-encoded in passwords',
    );
  return url;
}

/** Once for each reason: not reached yet, an operation is not allowed, left for another server of the cluster. */
export type BusStatus = 'waiting' | 'disconnected' | 'reconnected' | 'refused' | 'leaving';

interface BusOptions {
  /** The login is chosen anew for each connection; the addresses are those of the first. */
  url: ServerUrl;
  name: string;
  caFile?: string | undefined;
  onStatus?: (status: BusStatus, description?: string) => void;
  signal?: AbortSignal;
  wait?: boolean;
}

export interface BusConnection extends NatsConnection {
  makeInbox(): string;
  /** Connects to another known server of the cluster, since this one does not do its work. */
  leaveServer(): void;
}

const firstPauseMs = 250;
const longestPauseMs = 2_000;

function toInboxPrefix(name: string): string {
  return `_INBOX_${name.replace(/^agp-/, '')}`;
}

/** Waits for the server, and reconnects for ever. What is published while it is disconnected is dropped; the outbox sends again. */
export async function connectBus(options: BusOptions): Promise<BusConnection> {
  const inboxPrefix = toInboxPrefix(options.name);
  const logins = new LoginUrls(options.url);
  const address = readBusUrl(logins.choose());
  let tried = '';
  const login = () => {
    tried = logins.choose();
    return readBusUrl(tried);
  };
  const onRefused = (code: unknown) => {
    if (code === ErrorCode.AuthorizationViolation) logins.refuse(tried);
    return logins.choose();
  };
  const connection = await keepConnecting({ ...options, address, login, onRefused, inboxPrefix });
  void followStatus(connection, options, onRefused);
  const leaveServer = () => {
    const { servers } = address;
    const known = new Set([...servers, ...(connection.info?.connect_urls ?? [])]);
    if (known.size < 2 || connection.isClosed()) return;
    options.onStatus?.('leaving', `${connection.getServer()} does no work: it may be cut off from its cluster`);
    void connection.reconnect();
  };
  return Object.assign(connection, { makeInbox: () => createInbox(inboxPrefix), leaveServer });
}

interface Attempt extends BusOptions {
  address: BusAddress;
  login: () => BusAddress;
  /** @returns the login that is tried next */
  onRefused: (code: unknown) => string;
  inboxPrefix: string;
}

async function keepConnecting(options: Attempt): Promise<NatsConnection> {
  let reported = '';
  const tried = new Set([options.onRefused(null)]);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await connectOnce(options);
    } catch (error) {
      const next = options.onRefused((error as NatsError).code);
      if (!tried.has(next)) {
        tried.add(next);
        continue;
      }
      if (options.wait === false) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== reported) options.onStatus?.('waiting', reason);
      reported = reason;
    }
    await setTimeout(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}

function connectOnce({ address, login, name, caFile, inboxPrefix }: Attempt): Promise<NatsConnection> {
  const { servers, host } = address;
  // Passed to Node, since the client does not check that the certificate is for an IP address.
  const tls: TlsOptions & { host: string } = { host, ...(caFile === undefined ? {} : { caFile }) };
  return connect({
    servers,
    name,
    inboxPrefix,
    authenticator: () => toCredentials(login()),
    ...(address.tls || caFile !== undefined ? { tls } : {}),
    maxReconnectAttempts: -1,
    // Else two refused logins in a row, as when credentials are rotated, would end the connection for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
}

function toCredentials({ user, pass }: BusAddress): { user: string; pass: string } | undefined {
  return user === undefined ? undefined : { user, pass: pass ?? '' };
}

async function followStatus(
  connection: NatsConnection,
  { onStatus }: BusOptions,
  onRefused: Attempt['onRefused'],
): Promise<void> {
  const reported = new Set<string>();
  let isConnected = true;
  for await (const { type, permissionContext, data } of connection.status()) {
    if (type === 'disconnect' && isConnected) {
      isConnected = false;
      onStatus?.('disconnected');
    }
    if (type === 'reconnect') {
      isConnected = true;
      reported.clear();
      onStatus?.('reconnected');
    }
    if (type === 'error') {
      onRefused(data);
      const refused = permissionContext ? `${permissionContext.operation} ${permissionContext.subject}` : String(data);
      const operation = refused.replace(/(?<=\$JS\.ACK\.).*/, '');
      if (!reported.has(operation)) onStatus?.('refused', refused);
      reported.add(operation);
    }
  }
}

interface WarningLog {
  warn(fields: object, message: string): void;
}

export function logBusStatus(log: WarningLog): NonNullable<BusOptions['onStatus']> {
  return (status, description) => {
    if (status === 'waiting') log.warn({ error: description }, 'NATS_URL: NATS cannot be used yet; it is tried again');
    else log.warn({ status, detail: description }, 'NATS');
  };
}
