import { setTimeout as wait } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import { type Api, parseAnswer } from './api.ts';
import { ApiFailure, CliError } from './cli-error.ts';

/** A message of a stream, and its JSON as received. */
export interface Live<Data> {
  data: Data;
  text: string;
}

/** Silence after which a stream counts as lost, in milliseconds: three missed keepalive comments. */
const silenceMs = 45_000;

/** Opens a live stream; once its headers have arrived it sends all that happens from then on. @param name of its messages that are wanted */
export async function openLiveStream<Data>(
  api: Api,
  path: string,
  { name, schema }: { name: string; schema: z.ZodType<Data> },
  signal: AbortSignal,
): Promise<AsyncGenerator<Live<Data>>> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const abort = AbortSignal.any([signal, silence.signal]);
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
  async function* read(): AsyncGenerator<Live<Data>> {
    try {
      const messages = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(noteLife)
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
        .pipeThrough(new EventSourceParserStream());
      for await (const { event, data } of messages) {
        if (event === name) yield { data: parseAnswer(data, schema, path), text: data };
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      // Cut off: the lists have what was lost.
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }
  return read();
}

const longestPauseMs = 5_000;

/**
 * Follows a stream anew whenever it ends, until `signal` is aborted; after failures that may pass with growing pauses.
 * @param follow calls what it is given once the stream is open
 * @param onNotice is told in one line when the connection is lost and when it is back
 */
export async function keepFollowing(
  follow: (onOpen: () => void) => Promise<void>,
  signal: AbortSignal,
  onNotice: (text: string) => void,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = Math.min(250 * 2 ** failures, longestPauseMs);
    try {
      await follow(() => {
        if (failures > 0) onNotice('connected again');
        failures = 0;
        pauseMs = 250;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiFailure && error.mayPass)) throw error;
      if (failures === 0) onNotice(`${error.message} (trying again)`);
      failures += 1;
      pauseMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1_000);
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
}
