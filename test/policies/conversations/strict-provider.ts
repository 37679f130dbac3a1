import { randomUUID } from 'node:crypto';
import {
  cannedAnswer,
  chatReply,
  chatStreamReply,
  eventFrame,
  type FakeReply,
  type ReceivedRequest,
  responsesReply,
  responsesStreamReply,
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
  if (given.type === 'function_call_output') return [{ result: given.call_id, text: textOf(given.output) }];
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

/** A stream that begins with what the model thought, encrypted. */
function streamThinking(answer: typeof cannedAnswer, encrypted: string): FakeReply {
  const thought = { id: `rs_${randomUUID()}`, type: 'reasoning', summary: [], encrypted_content: encrypted };
  const { body, ...reply } = responsesStreamReply(answer);
  const events = [...(body as { steps: string[] }).steps].map(
    (frame) => JSON.parse(frame.replace(/^.*\ndata: /, '')) as Json,
  );
  const steps = events.flatMap((event) => {
    const at = event.output_index;
    const response = event.response as Json | undefined;
    const output = response?.output as Json[] | undefined;
    const shifted = {
      ...event,
      ...(typeof at === 'number' && { output_index: at + 1 }),
      ...(output?.length && { response: { ...response, output: [thought, ...output] } }),
    };
    if (event.type !== 'response.in_progress') return [shifted];
    return [
      shifted,
      { type: 'response.output_item.added', output_index: 0, item: thought },
      { type: 'response.output_item.done', output_index: 0, item: thought },
    ];
  });
  return {
    ...reply,
    body: {
      steps: steps.map((event, sequence_number) => eventFrame({ ...(event as { type: string }), sequence_number })),
    },
  };
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
    declared: JSON.stringify(body.tools),
  });
  const toolCalls = calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  const said = calls.length > 0 ? [] : [words];
  begun.set(run, items);
  const thinks = !isChat && JSON.stringify(body.include)?.includes('reasoning.encrypted_content');
  const encrypted = digest(items);
  answered.set(run, [
    ...(thinks ? [{ reasoning: encrypted, text: '[]' }] : []),
    ...said.map((text) => ({ role: 'assistant', text })),
    ...toolCalls.map((call) => ({ call: call.id, input: call.arguments })),
  ]);
  const answer = {
    ...cannedAnswer,
    model: `${body.model}`,
    words: said.join('').match(/.{1,7}/gsu) ?? [],
    toolCalls,
  };
  if (isChat) return body.stream ? chatStreamReply(answer, true) : chatReply(answer);
  if (thinks && body.stream) return streamThinking(answer, encrypted);
  return body.stream ? responsesStreamReply(answer) : responsesReply(answer);
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
