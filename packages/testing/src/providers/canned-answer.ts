import type { FakeReply, Step } from './fake-provider.ts';

/** A call of a tool that a canned answer makes. */
export interface CannedToolCall {
  id: string;
  name: string;
  /** An object as JSON text. */
  arguments: string;
}

/** The content of a canned answer and the usage that it reports. Each token is in one count only. */
export interface CannedAnswer {
  model: string;
  words: string[];
  /** The tools that it calls after its words. */
  toolCalls: CannedToolCall[];
  /** Input that no cache was involved in. */
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  /** Output that the caller sees. */
  output: number;
  reasoning: number;
  /** Milliseconds between the frames of a stream. */
  pauseMs: number;
}

export const cannedAnswer: CannedAnswer = {
  model: 'gpt-5-mini',
  words: ['The', ' answer', ' is', ' 42', '.'],
  toolCalls: [],
  input: 100,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 5,
  reasoning: 0,
  pauseMs: 0,
};

/** A server-sent event stream of these frames. */
export function streamReply(frames: string[], pauseMs: number, headers: Record<string, string>): FakeReply {
  const steps: Step[] = frames.flatMap((frame) => (pauseMs > 0 ? [{ pauseMs }, frame] : [frame]));
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers }, body: { steps } };
}

export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function eventFrame(data: { type: string; [member: string]: unknown }): string {
  return `event: ${data.type}\n${dataFrame(data)}`;
}

/** A text in pieces of a few characters, as models stream the arguments of a tool. */
export function cutInPieces(text: string): string[] {
  return text.match(/.{1,7}/gs) ?? [];
}
