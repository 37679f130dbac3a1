import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { connect, createInbox, type NatsConnection, type TlsOptions } from 'nats';

/** The address and credentials of NATS, as the client library takes them. */
interface BusAddress {
  /** `host:port` of each server. */
  servers: string[];
  /** The first one's host. */
  host: string;
  user: string | undefined;
  pass: string | undefined;
  tls: boolean;
}

/** The URL cannot be used. The message never quotes it: it holds a password. */
export class BusUrlError extends Error {
  readonly code = 'invalid_bus_url';
}

/**
 * Parses the URL, since the client library ignores the user and password in one.
 *
 * @param text `nats://user:password@host:port`, or `tls://` if the server must use TLS. Several servers of a cluster are separated by
 *   commas, and only the first needs more than `host:port`. Characters with a meaning in URLs are percent-encoded in names and
 *   passwords.
 * @throws BusUrlError
 */
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

/**
 * `waiting`: the server has not been reached yet, reported once for each reason; `refused`: it does not allow an operation, reported
 * once for each operation and connection; `leaving`: it is left for another of its cluster. All come with a description for the log.
 */
export type BusStatus = 'waiting' | 'disconnected' | 'reconnected' | 'refused' | 'leaving';

interface BusOptions {
  /** See {@link readBusUrl}. */
  url: string;
  /** The file that the URL came from. Its user and password are read again for each connection, so that they can be rotated. */
  urlFile?: string | undefined;
  /** The client's name in the server's monitoring: `agp-<user>`. Its inbox is named after it, see {@link toInboxPrefix}. */
  name: string;
  /** A PEM file of the certificate authorities that may sign the server's certificate; with it TLS is required. */
  caFile?: string | undefined;
  onStatus?: (status: BusStatus, description?: string) => void;
  /** Ends the wait for a server that has not been reached yet. Without it the wait may take for ever. */
  signal?: AbortSignal;
  /** False for commands, where a person waits: it rejects if the server is away. */
  wait?: boolean;
}

/** A connection whose inbox no other user of the server may listen to. */
export interface BusConnection extends NatsConnection {
  /** A new subject for answers to this connection. */
  makeInbox(): string;
  /** Connects to another server of the cluster, if one is known: this one does not do its work. */
  leaveServer(): void;
}

const firstPauseMs = 250;
const longestPauseMs = 2_000;

/** The inbox of the client `agp-proxy` is `_INBOX_proxy`. Each user may listen to its own only. */
export function toInboxPrefix(name: string): string {
  return `_INBOX_${name.replace(/^agp-/, '')}`;
}

/**
 * Connects, waiting for the server if necessary, and reconnects for ever. A half-open connection is noticed within ten seconds. The
 * client drops messages that are published while it is disconnected: those that must arrive go through the outbox.
 */
export async function connectBus(options: BusOptions): Promise<BusConnection> {
  const inboxPrefix = toInboxPrefix(options.name);
  const connection = await keepConnecting({ ...options, address: readBusUrl(options.url), inboxPrefix });
  void followStatus(connection, options);
  const leaveServer = () => {
    const { servers } = readBusUrl(options.url);
    // Servers tell their clients of the others.
    const known = new Set([...servers, ...(connection.info?.connect_urls ?? [])]);
    if (known.size < 2 || connection.isClosed()) return;
    options.onStatus?.('leaving', `${connection.getServer()} does no work: it may be cut off from its cluster`);
    void connection.reconnect();
  };
  return Object.assign(connection, { makeInbox: () => createInbox(inboxPrefix), leaveServer });
}

interface Attempt extends BusOptions {
  address: BusAddress;
  inboxPrefix: string;
}

/** The client's own wait does not report why it waits, and cannot be ended. */
async function keepConnecting(options: Attempt): Promise<NatsConnection> {
  let reported = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await connectOnce(options);
    } catch (error) {
      if (options.wait === false) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== reported) options.onStatus?.('waiting', reason);
      reported = reason;
    }
    await setTimeout(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}

function connectOnce({ address, urlFile, name, caFile, inboxPrefix }: Attempt): Promise<NatsConnection> {
  const { servers, host } = address;
  // `host` is passed to Node: the client itself does not check that the certificate is for an IP address.
  const tls: TlsOptions & { host: string } = { host, ...(caFile === undefined ? {} : { caFile }) };
  return connect({
    servers,
    name,
    inboxPrefix,
    authenticator: () => toCredentials(urlFile === undefined ? address : readAgain(urlFile, address)),
    ...(address.tls || caFile !== undefined ? { tls } : {}),
    maxReconnectAttempts: -1,
    // Otherwise two refused logins in a row, as when credentials are rotated, would end the connection for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
}

/** Keeps the known address while the file is missing or half written. */
function readAgain(urlFile: string, known: BusAddress): BusAddress {
  try {
    return readBusUrl(readFileSync(urlFile, 'utf8').trim());
  } catch {
    return known;
  }
}

function toCredentials({ user, pass }: BusAddress): { user: string; pass: string } | undefined {
  return user === undefined ? undefined : { user, pass: pass ?? '' };
}

async function followStatus(connection: NatsConnection, { onStatus }: BusOptions): Promise<void> {
  const reported = new Set<string>();
  let isConnected = true;
  for await (const { type, permissionContext, data } of connection.status()) {
    if (type === 'disconnect' && isConnected) {
      // A refused attempt to reconnect is reported as another disconnect.
      isConnected = false;
      onStatus?.('disconnected');
    }
    if (type === 'reconnect') {
      isConnected = true;
      reported.clear();
      onStatus?.('reconnected');
    }
    if (type === 'error') {
      const refused = permissionContext ? `${permissionContext.operation} ${permissionContext.subject}` : String(data);
      // The subject of an acknowledgement ends with the message's numbers: report all of them as one.
      const operation = refused.replace(/(?<=\$JS\.ACK\.).*/, '');
      if (!reported.has(operation)) onStatus?.('refused', refused);
      reported.add(operation);
    }
  }
}

interface WarningLog {
  warn(fields: object, message: string): void;
}

/** Logs a connection's changes, and until it has connected once, the variable that may be wrong. */
export function logBusStatus(log: WarningLog): NonNullable<BusOptions['onStatus']> {
  return (status, description) => {
    if (status === 'waiting') log.warn({ error: description }, 'NATS_URL: NATS cannot be used yet; it is tried again');
    else log.warn({ status, detail: description }, 'NATS');
  };
}
