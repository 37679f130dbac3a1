import { type CannedAnswer, eventFrame, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

const headers = { 'request-id': 'req_anthropic_1' };

/** Anthropic's `input_tokens` leaves out what was read from or written to a cache; thinking is part of the output. */
function toUsage(answer: CannedAnswer) {
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

function toMessage(answer: CannedAnswer) {
  const content = [{ type: 'text', text: answer.words.join('') }];
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: answer.model };
  return { ...head, content, stop_reason: 'end_turn', stop_sequence: null, usage: toUsage(answer) };
}

/** `POST /v1/messages` without `stream`. */
export function messageReply(answer: CannedAnswer): FakeReply {
  return { headers, body: toMessage(answer) };
}

/** The same streamed: input figures in `message_start`, the final output figure in `message_delta`. */
export function messageStreamReply(answer: CannedAnswer): FakeReply {
  const message = toMessage(answer);
  const opening = { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } };
  const frames = [
    eventFrame({ type: 'message_start', message: opening }),
    eventFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    eventFrame({ type: 'ping' }),
    ...answer.words.map((text) =>
      eventFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    eventFrame({ type: 'content_block_stop', index: 0 }),
    eventFrame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: message.usage.output_tokens },
    }),
    eventFrame({ type: 'message_stop' }),
  ];
  return streamReply(frames, answer.pauseMs, headers);
}
