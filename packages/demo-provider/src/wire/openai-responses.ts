import { toChatUsage } from './openai-completions.ts';
import { cutInPieces, eventFrame, type ToolCall, type WireAnswer } from './wire-answer.ts';

interface ResponseEvent {
  type: string;
  [member: string]: unknown;
}

/** The items of a response's output, each with the events that stream it. */
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

/** `POST /v1/responses` without `stream`. */
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
