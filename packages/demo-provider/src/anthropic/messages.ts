import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, eventFrame } from '../answer.ts';
import { type ComposedAnswer, composeAnswer } from '../compose-answer.ts';
import { contentField, messageField, textOf } from '../content.ts';
import { countConversationTokens } from '../count-tokens.ts';
import { parseRequest } from '../parse-request.ts';

const countable = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageField).min(1),
  system: contentField.nullish(),
});
const request = countable.extend({
  max_tokens: z.number().int().min(1),
  stream: z.boolean().nullish(),
});

function countInputTokens({ system, messages }: z.infer<typeof countable>): number {
  const texts = messages.map((message) => textOf(message.content));
  return countConversationTokens(system ? [textOf(system), ...texts] : texts);
}

function toMessage(model: string, answer: ComposedAnswer, inputTokens: number) {
  return {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: answer.text }],
    stop_reason: answer.truncated ? 'max_tokens' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: answer.tokens,
      service_tier: 'standard',
    },
  };
}

/** Output tokens are a first count in `message_start`, and the total in `message_delta`. */
function* toFrames(message: ReturnType<typeof toMessage>, answer: ComposedAnswer): Generator<string> {
  const usage = { ...message.usage, output_tokens: 1 };
  yield eventFrame({ type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } });
  yield eventFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  yield eventFrame({ type: 'ping' });
  for (const word of answer.words) {
    yield eventFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } });
  }
  yield eventFrame({ type: 'content_block_stop', index: 0 });
  const delta = { stop_reason: message.stop_reason, stop_sequence: null };
  yield eventFrame({ type: 'message_delta', delta, usage: { output_tokens: answer.tokens } });
  yield eventFrame({ type: 'message_stop' });
}

/** `POST /v1/messages`. */
export function answerMessage(body: unknown): Answer {
  const asked = parseRequest(request, body);
  const question = textOf(asked.messages.at(-1)?.content);
  const answer = composeAnswer(asked.model, question, asked.max_tokens);
  const message = toMessage(asked.model, answer, countInputTokens(asked));
  return asked.stream ? { frames: toFrames(message, answer) } : { status: 200, json: message };
}

/** `POST /v1/messages/count_tokens`. */
export function answerTokenCount(body: unknown): Answer {
  return { status: 200, json: { input_tokens: countInputTokens(parseRequest(countable, body)) } };
}
