import { randomUUID } from 'node:crypto';
import { eventFrame, type FakeReply } from '@agp/testing/providers';
import { asList, digest, type Json, plan, Refused } from './plan-turn.ts';

interface Message {
  role: string;
  content: Json[];
}

/** Without what clients move from turn to turn, and vendors do not count. */
const strip = ({ cache_control: _, ...block }: Json): Json =>
  Array.isArray(block.content) ? { ...block, content: block.content.map(strip) } : block;

const sign = (thinking: unknown, before: unknown) => digest([thinking, digest(before)]);

/** What was answered, by its signature. */
const answered = new Map<string, Json[]>();

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

/** Anthropic's API. */
export function answerMessages(body: Json): FakeReply {
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
