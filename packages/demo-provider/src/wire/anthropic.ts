import { parseJson } from '@agp/core/json';
import { cutInPieces, eventFrame, type WireAnswer } from './wire-answer.ts';

/** Anthropic's `input_tokens` leaves out what was read from or written to a cache; thinking is part of the output. */
function toUsage(answer: WireAnswer) {
  return {
    input_tokens: answer.input,
    cache_creation_input_tokens: answer.cacheWrite5m + answer.cacheWrite1h,
    cache_read_input_tokens: answer.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: answer.cacheWrite5m,
      ephemeral_1h_input_tokens: answer.cacheWrite1h,
    },
    output_tokens: answer.output + answer.reasoning,
    service_tier: 'standard',
  };
}

function toBlocks({ words, toolCalls }: WireAnswer) {
  const spoken = {
    block: { type: 'text', text: words.join('') },
    start: { type: 'text', text: '' },
    deltas: words.map((text): object => ({ type: 'text_delta', text })),
  };
  const called = toolCalls.map(({ id, name, arguments: text }) => ({
    block: { type: 'tool_use', id, name, input: parseJson(text) as object },
    start: { type: 'tool_use', id, name, input: {} },
    deltas: ['', ...cutInPieces(text)].map((piece): object => ({ type: 'input_json_delta', partial_json: piece })),
  }));
  return words.length > 0 ? [spoken, ...called] : called;
}

function toMessage(answer: WireAnswer) {
  const content = toBlocks(answer).map(({ block }) => block);
  const head = { id: `msg_${answer.id}`, type: 'message', role: 'assistant', model: answer.model };
  const stop_reason = answer.isCut ? 'max_tokens' : answer.toolCalls.length > 0 ? 'tool_use' : 'end_turn';
  return { ...head, content, stop_reason, stop_sequence: null, usage: toUsage(answer) };
}

export const writeMessage = (answer: WireAnswer): object => toMessage(answer);

/** The same streamed: input figures in `message_start`, the final output figure in `message_delta`. */
export function writeMessageFrames(answer: WireAnswer): string[] {
  const message = toMessage(answer);
  const opening = { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } };
  return [
    eventFrame({ type: 'message_start', message: opening }),
    eventFrame({ type: 'ping' }),
    ...toBlocks(answer).flatMap(({ start, deltas }, index) => [
      eventFrame({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => eventFrame({ type: 'content_block_delta', index, delta })),
      eventFrame({ type: 'content_block_stop', index }),
    ]),
    eventFrame({
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: message.usage.output_tokens },
    }),
    eventFrame({ type: 'message_stop' }),
  ];
}
