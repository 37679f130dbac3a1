import { connectBus, ensureEventStream } from '@agp/bus';

/** Makes the event stream as a writer does at its start, for proxies that run without one. */
export async function makeEventStream(natsUrl: string): Promise<void> {
  const connection = await connectBus({ url: natsUrl, name: 'make-event-stream' });
  await ensureEventStream(connection, { replicas: 1, maxBytes: 1024 ** 3 });
  await connection.close();
}
