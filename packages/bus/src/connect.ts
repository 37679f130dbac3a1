import { connect, type NatsConnection } from 'nats';

export interface BusOptions {
  /** One or more `nats://host:port`, separated by commas. */
  url: string;
  /** Shown by the server, to tell the services apart. */
  name: string;
  /** Told when the connection is lost and when it is back. */
  onStatus?: (status: 'disconnected' | 'reconnected') => void;
}

/**
 * Connects, and reconnects for ever. A half-open connection is noticed within ten seconds.
 * The client drops what is published while it is disconnected: whatever must arrive goes through the outbox.
 */
export async function connectBus(options: BusOptions): Promise<NatsConnection> {
  const connection = await connect({
    servers: options.url.split(','),
    name: options.name,
    maxReconnectAttempts: -1,
    // Or two refused log-ins in a row, as while credentials are rotated, would end the connection for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') options.onStatus?.('disconnected');
      if (type === 'reconnect') options.onStatus?.('reconnected');
    }
  })();
  return connection;
}
