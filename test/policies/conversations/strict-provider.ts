import { createHash, randomUUID } from 'node:crypto';
import { labelPattern } from '@agp/pii/label';
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

/** The header by which it knows the requests of one conversation. */
export const runHeader = 'x-test-run';

type Json = Record<string, unknown>;
interface Message {
  role: string;
  content: Json[];
}

const asList = (value: unknown): Json[] =>
  typeof value === 'string' ? [{ type: 'text', text: value }] : Array.isArray(value) ? (value as Json[]) : [];

/** Without what clients move from turn to turn, and vendors do not count. */
const strip = ({ cache_control: _, ...block }: Json): Json =>
  Array.isArray(block.content) ? { ...block, content: block.content.map(strip) } : block;

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64');
const sign = (thinking: unknown, before: unknown) => digest([thinking, digest(before)]);

class Refused extends Error {}

/** What was answered, by its signature or its call. */
const answered = new Map<string, Json[]>();
const begun = new Map<string, Json[]>();
const cached = new Map<string, string>();

/** What a model knows of the turn at hand: what it was asked, and its calls and their results since. */
interface Turn {
  asked: string;
  called: string;
  results: string;
  declared: string;
}

/** Tools of SDKs and of programs, by what they are for. */
const sends: Record<string, (to: string) => Json> = {
  send_mail: (to) => ({ to }),
  Bash: (to) => ({ command: `./send-mail '${to}'`, description: `Send a mail to ${to}` }),
  exec_command: (to) => ({ cmd: `./send-mail '${to}'` }),
};
const reads: Record<string, (file: string) => Json> = {
  Read: (file) => ({ file_path: file }),
  exec_command: (file) => ({ cmd: `cat ${file}` }),
};

/** At once a call for each value and each file that it has read of and not called with; once there is none, the end of the turn. */
function plan({ asked, called, results, declared }: Turn) {
  const named = [...new Set(`${asked} ${results}`.match(labelPattern))];
  const choose = (tools: typeof sends, values: string[]) => {
    const name = Object.keys(tools).find((each) => declared.includes(`"${each}"`)) ?? '';
    return values
      .filter((value) => !called.includes(value))
      .map((value) => ({ name, input: tools[name]?.(value) ?? {} }));
  };
  const calls = [...choose(sends, named), ...choose(reads, asked.match(/\S+\.note/g) ?? [])];
  const words = calls.length > 0 ? `I write to ${named.join(' and ')}.` : `Sent to ${named.join(', ')}.`;
  return { words, calls: calls.map((call) => ({ ...call, id: `call_${randomUUID()}` })) };
}

/** As Anthropic checks them: signatures, and the conversation that each is bound to; results beside their calls. */
function checkMessages(body: Json): Message[] {
  const head = { system: asList(body.system).map(strip), tools: asList(body.tools).map(strip) };
  const messages = (body.messages as Json[]).map(({ role, content }): Message => {
    return { role: `${role}`, content: asList(content).map(strip) };
  });
  messages.forEach(({ role, content }, at) => {
    const before = { ...head, messages: messages.slice(0, at) };
    for (const { type, thinking, signature } of content) {
      if (type !== 'thinking') continue;
      const sent = answered.get(`${signature}`);
      if (sent === undefined || sent[0]?.thinking !== thinking)
        throw new Refused(`messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`);
      if (sign(thinking, before) !== signature)
        throw new Refused(`messages.${at}: \`thinking\` block is bound to a different conversation`);
      if (JSON.stringify(sent) !== JSON.stringify(content.map(({ caller: _, ...block }) => block)))
        throw new Refused(`messages.${at}: an assistant turn must be sent back as it was returned`);
    }
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const results = (messages[at + 1]?.content ?? []).flatMap(({ tool_use_id: id }) => id ?? []);
    if (role === 'assistant' && JSON.stringify(calls) !== JSON.stringify(results))
      throw new Refused(`messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
  });
  return messages;
}

function answerMessages(body: Json): FakeReply {
  const messages = checkMessages(body);
  const isAsked = ({ role, content }: Message) => role === 'user' && content.every(({ type }) => type === 'text');
  const begins = messages.findLastIndex(isAsked);
  const since = messages.slice(begins + 1).flatMap(({ content }) => content);
  const textOf = (type: string) => JSON.stringify(since.filter((block) => block.type === type));
  const { words, calls } = plan({
    asked: `${messages[begins]?.content.at(-1)?.text}`,
    called: textOf('tool_use'),
    results: textOf('tool_result'),
    declared: JSON.stringify(body.tools),
  });
  const thinking = `They want ${words} The trailer is Co-Authored-By: Claude <noreply@anthropic.com>.`;
  const head = { system: asList(body.system).map(strip), tools: asList(body.tools).map(strip) };
  const signature = sign(thinking, { ...head, messages });
  const content: Json[] = [
    { type: 'thinking', thinking, signature },
    { type: 'text', text: words },
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ];
  answered.set(signature, content);
  const message = {
    ...{ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null },
    ...{ stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: { input_tokens: 100, output_tokens: 5 } },
  };
  if (!body.stream) return { body: { ...message, content } };
  const event = (type: string, data: object) => eventFrame({ type, ...data });
  const pieces = (text: string) => text.match(/.{1,7}/gsu) ?? [];
  const deltas = ({ type, text, thinking, signature, input }: Json): object[] =>
    type === 'thinking'
      ? [
          ...pieces(`${thinking}`).map((part) => ({ type: 'thinking_delta', thinking: part })),
          { type: 'signature_delta', signature },
        ]
      : type === 'text'
        ? pieces(`${text}`).map((part) => ({ type: 'text_delta', text: part }))
        : pieces(JSON.stringify(input)).map((part) => ({ type: 'input_json_delta', partial_json: part }));
  const empty: Json = { thinking: { thinking: '', signature: '' }, text: { text: '' }, tool_use: { input: {} } };
  const steps = [
    event('message_start', { message: { ...message, content: [], stop_reason: null } }),
    ...content.flatMap((block, index) => [
      event('content_block_start', { index, content_block: { ...block, ...(empty[`${block.type}`] as Json) } }),
      ...deltas(block).map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    event('message_stop', {}),
  ];
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: { steps } };
}

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
