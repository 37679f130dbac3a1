import { type CannedAnswer, dataFrame, eventFrame, streamReply } from './canned-answer.ts';
import type { FakeReply } from './fake-provider.ts';

const headers = { 'x-request-id': 'req_openai_1' };

function toChatUsage(answer: CannedAnswer) {
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

/** `POST /v1/chat/completions` without `stream`. */
export function chatReply(answer: CannedAnswer): FakeReply {
  const message = { role: 'assistant', content: answer.words.join(''), refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
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
    toChunk({}, 'stop'),
    ...(includeUsage ? [dataFrame({ ...head, choices: [], usage: toChatUsage(answer) })] : []),
    'data: [DONE]\n\n',
  ];
  return streamReply(frames, answer.pauseMs, headers);
}

function toResponse(answer: CannedAnswer) {
  const usage = toChatUsage(answer);
  const text = { type: 'output_text', text: answer.words.join(''), annotations: [], logprobs: [] };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_763_650_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: answer.model,
    output: [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [text] }],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: answer.cacheRead },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: answer.reasoning },
      total_tokens: usage.total_tokens,
    },
  };
}

/** `POST /v1/responses` without `stream`. */
export function responsesReply(answer: CannedAnswer): FakeReply {
  return { headers, body: toResponse(answer) };
}

/** The same streamed; its usage stands in `response.completed` alone. */
export function responsesStreamReply(answer: CannedAnswer): FakeReply {
  const response = toResponse(answer);
  const running = { ...response, status: 'in_progress', output: [], usage: null };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const item = response.output[0];
  const part = item?.content[0];
  const text = answer.words.join('');
  const events: { type: string; [member: string]: unknown }[] = [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...answer.words.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  const frames = events.map((event, sequence_number) => eventFrame({ ...event, sequence_number }));
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
