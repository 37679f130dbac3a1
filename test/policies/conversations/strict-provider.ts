import { randomUUID } from 'node:crypto';
import {
  cannedAnswer,
  chatReply,
  chatStreamReply,
  eventFrame,
  type FakeReply,
  type ReceivedRequest,
  responsesReply,
} from '@agp/testing/providers';
import { asList, digest, type Json, plan, Refused } from './plan-turn.ts';
import { answerMessages } from './strict-messages.ts';

/** The header by which it knows the requests of one conversation. */
export const runHeader = 'x-test-run';

/** What was asked and answered last, by conversation. */
const begun = new Map<string, Json[]>();
const answered = new Map<string, Json[]>();
/** By the key of the cache. */
const cached = new Map<string, string>();

const textOf = (content: unknown): string =>
  asList(content)
    .map(({ text = '' }) => text)
    .join('');

/** Messages and items of OpenAI's APIs alike: what of them a model reads. */
function read(given: Json): Json[] {
  if (given.type === 'reasoning') return [{ reasoning: given.encrypted_content, text: JSON.stringify(given.summary) }];
  if (given.type === 'function_call') return [{ call: given.call_id, input: given.arguments }];
  if (given.type === 'custom_tool_call') return [{ call: given.call_id, input: given.input }];
  if (`${given.type}`.endsWith('_call_output')) return [{ result: given.call_id, text: textOf(given.output) }];
  if (given.role === 'tool') return [{ result: given.tool_call_id, text: textOf(given.content) }];
  const text = textOf(given.content);
  const calls = asList(given.tool_calls).map((call) => {
    return { call: call.id, input: (call.function as Json).arguments };
  });
  return [...(text === '' ? [] : [{ role: `${given.role}`.replace('developer', 'system'), text }]), ...calls];
}

/** Who names a key for the cache pays for each byte that is another one than before. */
function checkCached(key: string, given: unknown[]) {
  const text = JSON.stringify(given).slice(0, -1);
  if (!text.startsWith(cached.get(key) ?? '')) throw new Refused(`not as it is cached: ${text}`);
  cached.set(key, text);
}

const pieces = (text: string) => text.match(/.{1,7}/gsu) ?? [];

/** What a stream tells of an item between its begin and its end. */
function* tell({ id: item_id, type, name, arguments: given, input, content }: Json): Generator<Json> {
  if (type === 'function_call') {
    for (const delta of pieces(`${given}`)) yield { type: 'response.function_call_arguments.delta', item_id, delta };
    yield { type: 'response.function_call_arguments.done', item_id, name, arguments: given };
  } else if (type === 'custom_tool_call') {
    for (const delta of pieces(`${input}`)) yield { type: 'response.custom_tool_call_input.delta', item_id, delta };
    yield { type: 'response.custom_tool_call_input.done', item_id, input };
  } else if (type === 'message') {
    const [part = {}] = content as Json[];
    const at = { item_id, content_index: 0 };
    yield { type: 'response.content_part.added', ...at, part: { ...part, text: '' } };
    for (const delta of pieces(`${part.text}`))
      yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] };
    yield { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] };
    yield { type: 'response.content_part.done', ...at, part };
  }
}

/** An answer of the Responses API, in which the call of a tool that takes any text is an item of its own kind. */
function writeResponse(body: Json, output: Json[]): FakeReply {
  const whole = { ...(responsesReply({ ...cannedAnswer, model: `${body.model}` }).body as Json), output };
  if (!body.stream) return { body: whole };
  const empty: Record<string, Json> = {
    function_call: { arguments: '' },
    custom_tool_call: { input: '' },
    message: { content: [] },
  };
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, ...empty[`${item.type}`] } },
      ...tell(item).map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: whole },
  ] as ({ type: string } & Json)[];
  const steps = events.map((event, sequence_number) => eventFrame({ ...event, sequence_number }));
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: { steps } };
}

/** A cache of prompts hits only if each turn begins with the one before; results stand beside their calls. */
function answerOpenai(body: Json, run: string, isChat: boolean): FakeReply {
  const instructions = body.instructions === undefined ? [] : [{ role: 'system', content: body.instructions }];
  const given = isChat
    ? body.messages
    : [
        ...instructions,
        ...(typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : asList(body.input)),
      ];
  if (body.prompt_cache_key !== undefined) checkCached(`${body.prompt_cache_key}`, [body.tools, ...(given as Json[])]);
  const items = (given as Json[]).flatMap(read);
  const before = [...(begun.get(run) ?? []), ...(answered.get(run) ?? [])];
  if (JSON.stringify(items.slice(0, before.length)) !== JSON.stringify(before))
    throw new Refused(`the conversation is another one: ${JSON.stringify([before, items])}`);
  const ids = (name: string) => items.flatMap((item) => item[name] ?? []);
  if (JSON.stringify(ids('call')) !== JSON.stringify(ids('result'))) throw new Refused('a call has no result');
  const lastAsked = items.findLastIndex(({ role }) => role === 'user');
  const since = items.slice(lastAsked + 1);
  const { words, calls } = plan({
    asked: `${items[lastAsked]?.text}`,
    called: since.map(({ input = '' }) => input).join(' '),
    results: since.map(({ result, text }) => (result === undefined ? '' : text)).join(' '),
    declared: JSON.stringify([body.tools, (given as Json[]).filter(({ type }) => type === 'additional_tools')]),
  });
  const said = calls.length > 0 ? [] : [words];
  begun.set(run, items);
  if (isChat) {
    const toolCalls = calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
    const answer = { ...cannedAnswer, model: `${body.model}`, words: said.flatMap(pieces), toolCalls };
    const message = {
      role: 'assistant',
      content: said.join(''),
      tool_calls: toolCalls.map(({ id, ...call }) => ({ id, function: call })),
    };
    answered.set(run, read(message));
    return body.stream ? chatStreamReply(answer, true) : chatReply(answer);
  }
  const thinks = `${body.include}`.includes('reasoning.encrypted_content');
  const output = [
    ...(thinks ? [{ type: 'reasoning', summary: [], encrypted_content: digest(items) }] : []),
    ...said.map((text) => {
      return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
    }),
    ...calls.map(({ id: call_id, name, input }) =>
      typeof input === 'string'
        ? { type: 'custom_tool_call', call_id, name, input }
        : { type: 'function_call', call_id, name, arguments: JSON.stringify(input) },
    ),
  ].map((item) => ({ id: `item_${randomUUID()}`, status: 'completed', ...item }));
  answered.set(run, output.flatMap(read));
  return writeResponse(body, output);
}

/** A model that writes mails, behind an API that checks what its vendors check. */
export function answerStrictly({ target, headers, body: bytes }: ReceivedRequest): FakeReply {
  const body = JSON.parse(bytes.toString()) as Json;
  try {
    if (target.includes('/messages')) return answerMessages(body);
    return answerOpenai(body, `${headers[runHeader]}`, target.includes('/chat/completions'));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: error.message } } };
  }
}
