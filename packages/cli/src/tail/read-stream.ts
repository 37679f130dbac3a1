import { type StreamEvent, streamEventSchema } from '@agp/core/contracts';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiFailure, CliError } from '../cli-error.ts';
import type { Api } from '../connect-api.ts';
import { parseAnswer } from '../parse-answer.ts';
import { writeQuery } from '../write-query.ts';
import type { EventFilter } from './read-backlog.ts';

/** A live event, and its JSON as received. */
export interface LiveEvent {
  event: StreamEvent;
  text: string;
}

/** Silence after which a stream counts as lost, in milliseconds: three missed keepalive comments. */
const silenceMs = 45_000;

/**
 * Opens the live stream. Resolves when its headers have arrived: it sends every event recorded from then on, or ends.
 *
 * @throws ApiFailure; ends without an error when the stream ends, is lost, or `signal` is aborted
 */
export async function openLiveStream(
  api: Api,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<AsyncGenerator<LiveEvent>> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const abort = AbortSignal.any([signal, silence.signal]);
  const path = writeQuery('/api/v1/events/stream', { ...filter });
  const response = await api.open(path, 'text/event-stream', abort).catch((error: unknown) => {
    clearTimeout(timer);
    if (silence.signal.aborted) throw new ApiFailure('The live stream does not answer.', null);
    throw error;
  });
  const noteLife = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      timer.refresh();
      controller.enqueue(chunk);
    },
  });
  async function* read(): AsyncGenerator<LiveEvent> {
    try {
      const messages = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(noteLife)
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
        .pipeThrough(new EventSourceParserStream());
      for await (const { event, data } of messages) {
        if (event === 'agent_event') yield { event: parseAnswer(data, streamEventSchema, path), text: data };
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      // Cut off: the backlog has what was lost.
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }
  return read();
}
