import { errorTable } from '@agp/core/errors';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError as GeminiError } from '@google/genai';
import OpenAI from 'openai';
import { connectAnthropic, connectGemini, connectOpenai } from '../../wire/sdks/connect.ts';

/** How a stream ended for the client that read it. */
export interface StreamEnd {
  /** What the official client raised; undefined where the stream came to its own end. */
  error: unknown;
  /** On the monotonic clock, in milliseconds. */
  at: number;
  pieces: number;
}

export interface RunningStream {
  kind: StreamKind;
  /** The first piece is here. */
  started: Promise<void>;
  /** How many pieces have come so far. */
  pieces(): number;
  ended: Promise<StreamEnd>;
}

type Open = (url: string, headers: Record<string, string>) => Promise<AsyncIterable<unknown>>;

const content = 'Tell me everything, and take your time.';
const messages = [{ role: 'user' as const, content }];

const openers = {
  chat: (url, headers) =>
    connectOpenai({ baseUrl: `${url}/openai`, headers }).chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
    }),
  responses: (url, headers) =>
    connectOpenai({ baseUrl: `${url}/openai`, headers }).responses.create({
      model: 'gpt-4o',
      input: content,
      stream: true,
    }),
  messages: (url, headers) =>
    connectAnthropic({ baseUrl: `${url}/anthropic`, headers }).messages.create({
      model: 'claude-sonnet-5',
      max_tokens: 4_096,
      messages,
      stream: true,
    }),
  gemini: (url, headers) =>
    connectGemini({ baseUrl: `${url}/gemini`, headers }).models.generateContentStream({
      model: 'gemini-2.5-flash',
      contents: content,
    }),
} satisfies Record<string, Open>;

export type StreamKind = keyof typeof openers;
export const streamKinds = Object.keys(openers) as StreamKind[];

/** What each client raises for an error of its provider, as against one of its own. */
export const errorClasses = {
  chat: OpenAI.APIError,
  responses: OpenAI.APIError,
  messages: Anthropic.APIError,
  gemini: GeminiError,
};

/** The machine was too busy to read the agent's status in time: the proxy asks to be called again. */
const isLate = (error: unknown) => String((error as Error).message).includes(errorTable.status_unavailable.message);

/** Opens a stream with the official client of its kind and reads it to its end. */
export function openStream(kind: StreamKind, url: string, headers: Record<string, string>): RunningStream {
  const started = Promise.withResolvers<void>();
  let pieces = 0;
  const open = (): Promise<AsyncIterable<unknown>> =>
    openers[kind](url, headers).catch((error) => {
      if (isLate(error)) return open();
      throw error;
    });
  const read = async (): Promise<StreamEnd> => {
    let error: unknown;
    try {
      for await (const _ of await open()) {
        pieces += 1;
        started.resolve();
      }
    } catch (raised) {
      error = raised;
      started.reject(raised);
    }
    return { error, at: performance.now(), pieces };
  };
  const ended = read();
  return { kind, started: started.promise, pieces: () => pieces, ended };
}
