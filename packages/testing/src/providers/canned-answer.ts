import type { ToolCall, WireAnswer } from '@agp/demo-provider/wire';
import type { FakeReply, Step } from './fake-provider.ts';

export { dataFrame, eventFrame } from '@agp/demo-provider/wire';

/** A call of a tool that a canned answer makes. */
export type CannedToolCall = ToolCall;

/** The content of a canned answer and the usage that it reports. */
export interface CannedAnswer extends WireAnswer {
  /** Milliseconds between the frames of a stream. */
  pauseMs: number;
}

export const cannedAnswer: CannedAnswer = {
  id: '1',
  created: 1_763_650_000,
  model: 'gpt-5-mini',
  words: ['The', ' answer', ' is', ' 42', '.'],
  toolCalls: [],
  isCut: false,
  input: 100,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 5,
  reasoning: 0,
  pauseMs: 0,
};

/** A server-sent event stream of these frames, or what the headers say. */
export function streamReply(
  frames: readonly (string | Uint8Array)[],
  pauseMs: number,
  headers: Record<string, string>,
): FakeReply {
  const steps = frames.flatMap((frame): Step[] => (pauseMs > 0 ? [{ pauseMs }, frame] : [frame]));
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers }, body: { steps } };
}
