import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, dataFrame } from '../answer.ts';
import { type ComposedAnswer, composeAnswer } from '../compose-answer.ts';
import { messageField, textOf } from '../content.ts';
import { countConversationTokens } from '../count-tokens.ts';
import { parseRequest } from '../parse-request.ts';

const request = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageField).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
});

function toUsage(promptTokens: number, completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

interface Completion {
  id: string;
  created: number;
  model: string;
  answer: ComposedAnswer;
  usage: ReturnType<typeof toUsage>;
}

const shared = { service_tier: 'default', system_fingerprint: 'fp_demo' };

function toJson({ id, created, model, answer, usage }: Completion) {
  const message = { role: 'assistant', content: answer.text, refusal: null, annotations: [] };
  const choice = { index: 0, message, logprobs: null, finish_reason: answer.truncated ? 'length' : 'stop' };
  return { id, object: 'chat.completion', created, model, choices: [choice], usage, ...shared };
}

/** With `include_usage` every chunk carries `usage: null`, but for one more at the end that has it and no choices. */
function* toFrames({ id, created, model, answer, usage }: Completion, includeUsage: boolean): Generator<string> {
  const head = { id, object: 'chat.completion.chunk', created, model, ...shared };
  const toChunk = (delta: object, finishReason: string | null) =>
    dataFrame({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(includeUsage ? { usage: null } : {}),
    });
  yield toChunk({ role: 'assistant', content: '', refusal: null }, null);
  for (const word of answer.words) yield toChunk({ content: word }, null);
  yield toChunk({}, answer.truncated ? 'length' : 'stop');
  if (includeUsage) yield dataFrame({ ...head, choices: [], usage });
  yield 'data: [DONE]\n\n';
}

/** `POST /v1/chat/completions`. */
export function answerChatCompletion(body: unknown): Answer {
  const { model, messages, stream, ...options } = parseRequest(request, body);
  const texts = messages.map((message) => textOf(message.content));
  const answer = composeAnswer(
    model,
    texts.at(-1) ?? '',
    options.max_completion_tokens ?? options.max_tokens ?? undefined,
  );
  const completion = {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model,
    answer,
    usage: toUsage(countConversationTokens(texts) + 3, answer.tokens),
  };
  if (stream) return { frames: toFrames(completion, options.stream_options?.include_usage === true) };
  return { status: 200, json: toJson(completion) };
}
