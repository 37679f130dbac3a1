import { openSearch } from '@agp/metering';
import { everyKind } from './data-texts.ts';

export type Random = () => number;

/** mulberry32: the same numbers for one seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <Value>(random: Random, of: readonly Value[]): Value =>
  of[Math.floor(random() * of.length)] as Value;

const words =
  'Never deploy on Friday. Please summarise "the" thread; naïve 猫 🙂 a\\b rm -rf build\n SUBJECT: Hello, Sonne {x} [y] <b>it</b>'.split(
    ' ',
  );
const values = [
  'jane.roe@example.com',
  'it+help@mail.example.co.uk',
  '4111 1111 1111 1111',
  '5500005555555559',
  '+49 30 901820',
  'DE89 3704 0044 0532 0130 00',
  'sk-proj-a8Kd0fQ2mX7bZ4tR9wL1cV6nH3jS5gYp',
];
const search = openSearch(everyKind);

export interface Leaf {
  given: string;
  kept: string;
}

/** A text whose findings are known, with a value at its begin, its end, in it, or without one. */
export function makeLeaf(random: Random): Leaf {
  for (;;) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(random, words));
    if (random() < 0.6) parts.splice(Math.floor(random() * (parts.length + 1)), 0, pick(random, values));
    const given = parts.join(' ');
    const found = search.find(given);
    const isExpected = found.every(({ start, end }) => values.includes(given.slice(start, end)));
    if (!isExpected || found.length !== parts.filter((part) => values.includes(part)).length) continue;
    let kept = given;
    for (const { kind, start, end } of found.toReversed()) kept = `${kept.slice(0, start)}[${kind}]${kept.slice(end)}`;
    return { given, kept };
  }
}

/** Writes a body out of texts; `plain` stays as it is on both sides. */
export type Write = (random: Random, text: () => string, plain: () => string) => unknown;

const several = <Part>(random: Random, make: () => Part): Part[] =>
  Array.from({ length: 2 + Math.floor(random() * 6) }, make);
const textPart = (type: string, text: () => string) => () => ({ type, text: text() });
const signature = 'EqoB+AB123456Rf/9w==';

export const requests: Record<string, Write> = {
  anthropic: (random, text, plain) => ({
    model: 'claude-sonnet-4-5-20250929',
    system: random() < 0.5 ? text() : several(random, textPart('text', text)),
    messages: several(random, () => {
      const user = {
        role: 'user',
        content: several(random, () =>
          pick(random, [
            textPart('text', text),
            () => ({ type: 'tool_result', tool_use_id: 'toolu_1', content: text() }),
            () => ({ type: 'tool_result', tool_use_id: 'toolu_1', content: several(random, textPart('text', text)) }),
            () => ({
              type: 'document',
              title: text(),
              source: { type: 'text', media_type: 'text/plain', data: text() },
            }),
          ])(),
        ),
      };
      const assistant = {
        role: 'assistant',
        content: several(random, () =>
          pick(random, [
            textPart('text', text),
            () => ({ type: 'tool_use', id: 'toolu_12345678', name: 'bash', input: { command: text(), note: text() } }),
            () => ({ type: 'thinking', thinking: plain(), signature }),
          ])(),
        ),
      };
      return random() < 0.5 ? user : assistant;
    }),
  }),
  chat: (random, text) => ({
    messages: several(random, () =>
      pick(random, [
        () => ({ role: 'system', content: text() }),
        () => ({ role: 'user', content: several(random, textPart('text', text)) }),
        () => ({
          role: 'assistant',
          content: text(),
          tool_calls: several(random, () => ({
            id: 'call-12345678',
            type: 'function',
            function: { name: 'run_20250101', arguments: JSON.stringify({ command: text(), note: text() }) },
          })),
        }),
        () => ({ role: 'tool', tool_call_id: 'call-12345678', content: text() }),
      ])(),
    ),
    model: 'gpt-4.1-mini-2025-04-14',
  }),
  responses: (random, text) => ({
    model: 'gpt-5-2025-08-07',
    instructions: text(),
    input: several(random, () =>
      pick(random, [
        () => ({ type: 'message', role: 'user', content: several(random, textPart('input_text', text)) }),
        () => ({ type: 'function_call', call_id: 'c1', name: 'sh', arguments: JSON.stringify({ command: text() }) }),
        () => ({ type: 'function_call_output', call_id: 'c1', output: text() }),
        () => ({ type: 'function_call_output', call_id: 'c1', output: several(random, textPart('input_text', text)) }),
        () => ({
          type: 'reasoning',
          id: 'rs_1',
          summary: [textPart('summary_text', text)()],
          encrypted_content: signature,
        }),
      ])(),
    ),
  }),
  gemini: (random, text, plain) => ({
    systemInstruction: { parts: several(random, () => ({ text: text() })) },
    contents: several(random, () => ({
      role: 'model',
      parts: several(random, () =>
        pick<() => unknown>(random, [
          () => ({ text: text() }),
          () => ({ text: text(), thought: true }),
          () => ({ text: plain(), thought: true, thoughtSignature: signature }),
          () => ({ functionCall: { name: 'sh', args: { command: text() } } }),
          () => ({ functionResponse: { name: 'sh', response: { output: text() } } }),
        ])(),
      ),
    })),
  }),
};

export const answers: Record<string, Write> = {
  anthropic: (random, text) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: several(random, () =>
      pick<() => unknown>(random, [
        textPart('text', text),
        () => ({ type: 'tool_use', id: 'toolu_12345678', name: 'bash', input: { command: text() } }),
      ])(),
    ),
  }),
  chat: (random, text) => ({
    id: 'chatcmpl-1',
    choices: several(random, () => ({
      index: 0,
      message: {
        role: 'assistant',
        reasoning_content: text(),
        content: text(),
        tool_calls: [{ id: 'c', function: { name: 'sh', arguments: JSON.stringify({ command: text() }) } }],
      },
    })),
  }),
  responses: (random, text) => ({
    id: 'resp_1',
    output: several(random, () =>
      pick<() => unknown>(random, [
        () => ({ type: 'message', role: 'assistant', content: several(random, textPart('output_text', text)) }),
        () => ({ type: 'function_call', call_id: 'c1', name: 'sh', arguments: JSON.stringify({ command: text() }) }),
      ])(),
    ),
  }),
  gemini: (random, text) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: several(random, () =>
            pick<() => unknown>(random, [
              () => ({ text: text() }),
              () => ({ text: text(), thought: true }),
              () => ({ functionCall: { name: 'sh', args: { command: text() } } }),
            ])(),
          ),
        },
      },
    ],
  }),
};

/** A text of a stream: its frames, of each of its parts, and what reads a part of it. */
export interface Streamed {
  open?: object;
  write(part: string): object;
  close?: object;
  read(frame: never): string | undefined;
}

type Frame = Record<string, never>;
export const streams: Record<string, (index: number, random: Random) => Streamed> = {
  anthropic: (index, random) => {
    const isTool = random() < 0.4;
    const block = isTool
      ? { type: 'tool_use', id: 'toolu_12345678', name: 'sh', input: {} }
      : { type: 'text', text: '' };
    return {
      open: { type: 'content_block_start', index, content_block: block },
      write: (part) => ({
        type: 'content_block_delta',
        index,
        delta: isTool ? { type: 'input_json_delta', partial_json: part } : { type: 'text_delta', text: part },
      }),
      close: { type: 'content_block_stop', index },
      read: ({ delta }: Frame) => delta?.[isTool ? 'partial_json' : 'text'],
    };
  },
  chat: (index, random) => {
    const member = pick(random, ['content', 'reasoning_content', 'tool_plan']);
    return {
      write: (part) => ({ id: 'chatcmpl-1', choices: [{ index, delta: { [member]: part }, finish_reason: null }] }),
      close: { id: 'chatcmpl-1', choices: [{ index, delta: {}, finish_reason: 'stop' }] },
      read: ({ choices }: { choices?: { delta?: Record<string, string> }[] }) => choices?.[0]?.delta?.[member],
    } as Streamed;
  },
  responses: (index) => {
    const at = { item_id: `msg_${index}`, output_index: index, content_index: 0 };
    return {
      open: { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '' } },
      write: (delta) => ({ type: 'response.output_text.delta', ...at, delta }),
      close: { type: 'response.output_item.done', output_index: index, item: {} },
      read: ({ delta }: Frame) => delta,
    };
  },
  gemini: (index) => {
    const more = index % 2 === 0 ? { thought: true } : {};
    return {
      write: (text) => ({ candidates: [{ content: { role: 'model', parts: [{ text, ...more }] } }] }),
      read: ({ candidates }: { candidates?: { content: { parts: { text: string }[] } }[] }) =>
        candidates?.[0]?.content.parts[0]?.text,
    } as Streamed;
  },
};

export const paths: Record<string, [provider: string, path: string]> = {
  anthropic: ['anthropic', '/v1/messages'],
  chat: ['openai', '/v1/chat/completions'],
  responses: ['openai', '/v1/responses'],
  gemini: ['gemini', '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse'],
};
