import { type CannedAnswer, type CannedToolCall, cutInPieces, dataFrame, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

/** Of every answer of this API. */
export const headers = { 'x-request-id': 'req_openai_1' };

/** OpenAI's figures: cached input is part of the input, reasoning of the output. */
export function toChatUsage(answer: CannedAnswer) {
  const prompt = answer.input + answer.cacheRead;
  const completion = answer.output + answer.reasoning;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: answer.cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: answer.reasoning, audio_tokens: 0 },
  };
}

function toChatToolCall({ id, name, arguments: text }: CannedToolCall) {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** A tool call's first frame names it with empty arguments; each further one brings a piece of them. */
function toToolDeltas(call: CannedToolCall, index: number): object[] {
  return [
    { tool_calls: [{ index, ...toChatToolCall({ ...call, arguments: '' }) }] },
    ...cutInPieces(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

const toFinishReason = (answer: CannedAnswer) => (answer.toolCalls.length > 0 ? 'tool_calls' : 'stop');

/** `POST /v1/chat/completions` without `stream`. */
export function chatReply(answer: CannedAnswer): FakeReply {
  const called = answer.toolCalls.length > 0 ? { tool_calls: answer.toolCalls.map(toChatToolCall) } : {};
  const message = { role: 'assistant', content: answer.words.join('') || null, refusal: null, ...called };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(answer) }];
  const head = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_763_650_000, model: answer.model };
  return { headers, body: { ...head, choices, usage: toChatUsage(answer), service_tier: 'default' } };
}

/** The same streamed; with `includeUsage` every chunk has the member, null but in an extra last one. */
export function chatStreamReply(answer: CannedAnswer, includeUsage: boolean): FakeReply {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_763_650_000, model: answer.model };
  const toChunk = (delta: object, finish_reason: string | null) =>
    dataFrame({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(includeUsage ? { usage: null } : {}),
    });
  const frames = [
    toChunk({ role: 'assistant', content: '' }, null),
    ...answer.words.map((content) => toChunk({ content }, null)),
    ...answer.toolCalls.flatMap(toToolDeltas).map((delta) => toChunk(delta, null)),
    toChunk({}, toFinishReason(answer)),
    ...(includeUsage ? [dataFrame({ ...head, choices: [], usage: toChatUsage(answer) })] : []),
    'data: [DONE]\n\n',
  ];
  return streamReply(frames, answer.pauseMs, headers);
}

/** `POST /v1/completions`: text alone. */
export function completionReply(answer: CannedAnswer): FakeReply {
  const choices = [{ index: 0, text: answer.words.join(''), logprobs: null, finish_reason: 'stop' }];
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1_763_650_000, model: answer.model };
  return { headers, body: { ...head, choices, usage: toChatUsage(answer) } };
}

/** The same streamed, with its usage as {@link chatStreamReply} has it. */
export function completionStreamReply(answer: CannedAnswer, includeUsage: boolean): FakeReply {
  const head = { id: 'cmpl-1', object: 'text_completion', created: 1_763_650_000, model: answer.model };
  const toChunk = (text: string, finish_reason: string | null) =>
    dataFrame({
      ...head,
      choices: [{ index: 0, text, logprobs: null, finish_reason }],
      ...(includeUsage ? { usage: null } : {}),
    });
  const frames = [
    ...answer.words.map((text) => toChunk(text, null)),
    toChunk('', 'stop'),
    ...(includeUsage ? [dataFrame({ ...head, choices: [], usage: toChatUsage(answer) })] : []),
    'data: [DONE]\n\n',
  ];
  return streamReply(frames, answer.pauseMs, headers);
}

/** `POST /v1/embeddings`, one small vector, in the base64 form that the official clients ask for. */
export function embeddingsReply(answer: CannedAnswer): FakeReply {
  const embedding = Buffer.from(Float32Array.of(0.6, 0.8).buffer).toString('base64');
  return {
    headers,
    body: {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: answer.model,
      usage: { prompt_tokens: answer.input, total_tokens: answer.input },
    },
  };
}
