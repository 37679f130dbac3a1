import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { connect, createInbox, type NatsConnection, type TlsOptions } from 'nats';
import { type BusAddress, readBusUrl } from './read-bus-url.ts';

/**
 * `waiting`: the server was not reached yet, once for each reason; `refused`: it does not allow something, once for each thing and
 * connection. Both come with a description for the log.
 */
export type BusStatus = 'waiting' | 'disconnected' | 'reconnected' | 'refused';

export interface BusOptions {
  /** See {@link readBusUrl}. */
  url: string;
  /** The file that the URL came from. Its user and password are read anew for each connection, so that they may change meanwhile. */
  urlFile?: string | undefined;
  /** Shown by the server, to tell the services apart: `agp-<user>`. Its inbox is named after it, see {@link toInboxPrefix}. */
  name: string;
  /** A file of certificates, in PEM, that the server's must come from; with it no connection goes without TLS. */
  caFile?: string | undefined;
  onStatus?: (status: BusStatus, description?: string) => void;
  /** Ends the wait for a server that was not reached yet. Without it that wait may take for ever. */
  signal?: AbortSignal;
  /** False where somebody sits and waits: a server that is away rejects. */
  wait?: boolean;
}

/** A connection whose answers arrive where no other user of the server may listen. */
export interface BusConnection extends NatsConnection {
  /** A new subject for answers to this connection. */
  makeInbox(): string;
}

const firstPauseMs = 250;
const longestPauseMs = 2_000;

/** Where the answers to the client `agp-proxy` go: `_INBOX_proxy`. Each user may listen to its own only. */
export function toInboxPrefix(name: string): string {
  return `_INBOX_${name.replace(/^agp-/, '')}`;
}

/**
 * Connects, waiting for the server until it is there, and reconnects for ever. A half-open connection is noticed within ten seconds.
 * The client drops what is published while it is disconnected: whatever must arrive goes through the outbox.
 */
export async function connectBus(options: BusOptions): Promise<BusConnection> {
  const inboxPrefix = toInboxPrefix(options.name);
  const connection = await keepConnecting({ ...options, address: readBusUrl(options.url), inboxPrefix });
  void followStatus(connection, options);
  return Object.assign(connection, { makeInbox: () => createInbox(inboxPrefix) });
}

interface Attempt extends BusOptions {
  address: BusAddress;
  inboxPrefix: string;
}

/** Not the client's own wait: that one says nothing of why it waits, and cannot be ended. */
async function keepConnecting(options: Attempt): Promise<NatsConnection> {
  let told = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await connectOnce(options);
    } catch (error) {
      if (options.wait === false) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== told) options.onStatus?.('waiting', reason);
      told = reason;
    }
    await setTimeout(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}

function connectOnce({ address, urlFile, name, caFile, inboxPrefix }: Attempt): Promise<NatsConnection> {
  const { servers, host } = address;
  // `host` is handed to Node: the client itself would not ask whether a certificate is for an address.
  const tls: TlsOptions & { host: string } = { host, ...(caFile === undefined ? {} : { caFile }) };
  return connect({
    servers,
    name,
    inboxPrefix,
    authenticator: () => toCredentials(urlFile === undefined ? address : readAgain(urlFile, address)),
    ...(address.tls || caFile !== undefined ? { tls } : {}),
    maxReconnectAttempts: -1,
    // Or two refused log-ins in a row, as while credentials are rotated, would end the connection for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
}

/** What it was before, as long as the file is not there or half written. */
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
  const told = new Set<string>();
  let isConnected = true;
  for await (const { type, permissionContext, data } of connection.status()) {
    if (type === 'disconnect' && isConnected) {
      // A try to connect that is refused ends as another loss.
      isConnected = false;
      onStatus?.('disconnected');
    }
    if (type === 'reconnect') {
      isConnected = true;
      told.clear();
      onStatus?.('reconnected');
    }
    if (type === 'error') {
      const refused = permissionContext ? `${permissionContext.operation} ${permissionContext.subject}` : String(data);
      // The subject of an acknowledgement goes on with the message's own numbers: one line for all of them.
      const thing = refused.replace(/(?<=\$JS\.ACK\.).*/, '');
      if (!told.has(thing)) onStatus?.('refused', refused);
      told.add(thing);
    }
  }
}
