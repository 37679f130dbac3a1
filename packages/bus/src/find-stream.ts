import { type JetStreamManager, NatsError, type StreamInfo } from 'nats';

/** NATS' code for a stream that does not exist. */
const noSuchStream = 10_059;

/** What JetStream knows of a stream; null where it says that there is none. Rejects where it does not answer, or may not tell. */
export function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  return manager.streams.info(name).catch((error: unknown) => {
    if (error instanceof NatsError && error.api_error?.err_code === noSuchStream) return null;
    throw error;
  });
}
