import { cutInPieces, dataFrame, eventFrame, type ToolCall, type WireAnswer } from './wire-answer.ts';

/** OpenAI's figures: cached input is part of the input, reasoning of the output. */
function toChatUsage(answer: WireAnswer) {
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

function toChatToolCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** A tool call's first frame names it with empty arguments; each further one brings a piece of them. */
function toToolDeltas(call: ToolCall, index: number): object[] {
  return [
    { tool_calls: [{ index, ...toChatToolCall({ ...call, arguments: '' }) }] },
    ...cutInPieces(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function toFinishReason({ isCut, toolCalls }: WireAnswer): string {
  if (isCut) return 'length';
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

const toHead = (prefix: string, object: string, { id, created, model }: WireAnswer) => ({
  id: `${prefix}-${id}`,
  object,
  created,
  model,
});

/** With `includeUsage` every chunk has the member, null but in an extra last one. */
function toFrames(
  head: object,
  choices: readonly object[],
  { answer, includeUsage }: { answer: WireAnswer; includeUsage: boolean },
): string[] {
  return [
    ...choices.map((choice) => dataFrame({ ...head, choices: [choice], ...(includeUsage ? { usage: null } : {}) })),
    ...(includeUsage ? [dataFrame({ ...head, choices: [], usage: toChatUsage(answer) })] : []),
    'data: [DONE]\n\n',
  ];
}

export function writeChat(answer: WireAnswer): object {
  const called = answer.toolCalls.length > 0 ? { tool_calls: answer.toolCalls.map(toChatToolCall) } : {};
  const message = { role: 'assistant', content: answer.words.join('') || null, refusal: null, ...called };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(answer) }];
  const head = toHead('chatcmpl', 'chat.completion', answer);
  return { ...head, choices, usage: toChatUsage(answer), service_tier: 'default' };
}

export function writeChatFrames(answer: WireAnswer, includeUsage: boolean): string[] {
  const toChoice = (delta: object, finish_reason: string | null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason,
  });
  const choices = [
    toChoice({ role: 'assistant', content: '' }, null),
    ...answer.words.map((content) => toChoice({ content }, null)),
    ...answer.toolCalls.flatMap(toToolDeltas).map((delta) => toChoice(delta, null)),
    toChoice({}, toFinishReason(answer)),
  ];
  return toFrames(toHead('chatcmpl', 'chat.completion.chunk', answer), choices, { answer, includeUsage });
}

/** `POST /v1/completions`: text alone. */
export function writeCompletion(answer: WireAnswer): object {
  const finish_reason = answer.isCut ? 'length' : 'stop';
  const choices = [{ index: 0, text: answer.words.join(''), logprobs: null, finish_reason }];
  return { ...toHead('cmpl', 'text_completion', answer), choices, usage: toChatUsage(answer) };
}

/** The same streamed, with its usage as {@link writeChatFrames} has it. */
export function writeCompletionFrames(answer: WireAnswer, includeUsage: boolean): string[] {
  const toChoice = (text: string, finish_reason: string | null) => ({ index: 0, text, logprobs: null, finish_reason });
  const choices = [...answer.words.map((text) => toChoice(text, null)), toChoice('', answer.isCut ? 'length' : 'stop')];
  return toFrames(toHead('cmpl', 'text_completion', answer), choices, { answer, includeUsage });
}

interface ResponseEvent {
  type: string;
  [member: string]: unknown;
}

function toOutput(answer: WireAnswer): { item: object; events: (index: number) => ResponseEvent[] }[] {
  const spoken = answer.words.length > 0 ? [toMessageItem(answer)] : [];
  return [...spoken, ...answer.toolCalls.map(toFunctionItem)];
}

const toStatus = ({ isCut }: WireAnswer) => (isCut ? 'incomplete' : 'completed');

function toMessageItem(answer: WireAnswer) {
  const { words } = answer;
  const text = words.join('');
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = {
    id: `msg_${answer.id}`,
    type: 'message',
    status: toStatus(answer),
    role: 'assistant',
    content: [part],
  };
  const events = (output_index: number): ResponseEvent[] => {
    const at = { item_id: item.id, output_index, content_index: 0 };
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...words.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  return { item, events };
}

function toFunctionItem({ id, name, arguments: text }: ToolCall) {
  const item = { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: text };
  const events = (output_index: number): ResponseEvent[] => {
    const at = { item_id: item.id, output_index };
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } },
      ...cutInPieces(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, name, arguments: text },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  return { item, events };
}

function toResponse(answer: WireAnswer) {
  const usage = toChatUsage(answer);
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: answer.created,
    status: toStatus(answer),
    error: null,
    incomplete_details: answer.isCut ? { reason: 'max_output_tokens' } : null,
    model: answer.model,
    output: toOutput(answer).map(({ item }) => item),
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

export const writeResponse = (answer: WireAnswer): object => toResponse(answer);

/** The same streamed; only the last event has its usage. */
export function writeResponseFrames(answer: WireAnswer): string[] {
  const response = toResponse(answer);
  const running = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const events: ResponseEvent[] = [
    { type: 'response.created', response: running },
    { type: 'response.in_progress', response: running },
    ...toOutput(answer).flatMap(({ events }, index) => events(index)),
    { type: `response.${response.status}`, response },
  ];
  return events.map((event, sequence_number) => eventFrame({ ...event, sequence_number }));
}
