import { createPiiFinder } from '@agp/pii';
import { expect, test } from 'vitest';
import { providerIds } from '../../../../test/pii/hard-negatives.ts';
import { chat, gemini, messages, send } from '../../test/scan-sources.ts';
import { finishReading } from '../answer/reading.ts';
import type { ProviderApi } from '../dialects/operation.ts';
import { Frame } from '../json/frame.ts';
import { matchOperation } from '../match-operation.ts';
import type { CallPath, TextSource } from '../text-source.ts';
import { scanTexts } from './scan-texts.ts';

/** Ways to write a text that only a model will read. */

const find = createPiiFinder();
function scan(...sources: TextSource[]) {
  const { findings: _places, ...scanned } = scanTexts(sources, find, () => true);
  return scanned;
}

const ask = (content: unknown, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more });

const mail = 'jane.roe@example.com';
const secret = `The customer is ${mail}, write to her.`;
const found = { types: ['email'], extent: 'full', missed: null };
const nothing = { types: [], extent: 'full', missed: null };

test.each([
  ['letters', 'A'.repeat(1_024)],
  ['padding', '='.repeat(1_024)],
  ['much of it', 'QUJD'.repeat(100_000)],
  ['what looks like a file', `data:image/png;base64,${'iVBOR'.repeat(1_000)}`],
])('a text goes on behind filler: %s', (_, filler) => {
  expect(scan(send(chat, ask(`${filler} ${secret}`)))).toEqual(found);
  expect(scan(send(chat, ask(`${filler}\n${secret}\n${filler}`)))).toEqual(found);
  expect(scan({ parts: [`${filler} ${secret}`], whole: true })).toEqual(found);
});

const labels = ['role', 'name', 'id', 'type', 'detail', 'tool_call_id', 'cache_control', 'media_type'];
const files = ['url', 'image_url', 'data', 'signature', 'file_data', 'encrypted_content', 'inlineData', 'fileUri'];

test.each([...labels, ...files])("prose in a message's member %s is read, alone and nested", (name) => {
  for (const value of [secret, { deep: [secret] }, mail]) {
    expect(scan(send(chat, { model: 'm', messages: [{ role: 'user', content: 'Hi', [name]: value }] }))).toEqual(found);
    expect(scan(send(messages, ask([{ type: 'text', text: 'Hi', [name]: value }])))).toEqual(found);
    expect(scan(send(gemini, { contents: [{ parts: [{ text: 'Hi', [name]: value }] }] }))).toEqual(found);
  }
});

test.each([
  { user: mail },
  { safety_identifier: mail },
  { prompt_cache_key: mail },
  { metadata: { customer: mail } },
  { metadata: { card: 4111111111111111 } },
  { stop: ['STOP', mail] },
  { model: mail },
  { logit_bias: { [mail]: 1 } },
  { [mail]: true },
  { tools: [{ type: 'function', function: { name: mail, description: 'Looks.' } }] },
  { tools: [{ type: 'function', function: { name: 'a', description: 'b', parameters: { enum: [mail] } } }] },
  { tools: [{ type: 'function', function: { name: 'a', parameters: { properties: { [mail]: {} } } } }] },
  { tool_choice: { function: { name: mail } } },
  { response_format: { json_schema: { name: mail } } },
  { unheard_of: [[{ a: mail }]] },
])('a member of the request outside its messages is read: %j', (more) => {
  const { types, extent } = scan(send(chat, ask('Hi', more)));
  expect([types, extent]).toEqual([['metadata' in more && 'card' in more.metadata ? 'credit_card' : 'email'], 'full']);
});

test.each(['\u200b', '\u00ad', '&#8203;'])('no amount of %j within an address hides it', (mask) => {
  for (const length of [1, 70_000, 200_000]) {
    expect(
      scan(send(chat, ask(`Write to jane.roe@exam${mask.repeat(Math.ceil(length / mask.length))}ple.com today.`))),
    ).toEqual(found);
  }
});

test('JSON in strings is taken apart, however often it was put into one', () => {
  let text = JSON.stringify({ to: mail }).replace('@', '\\u0040');
  for (let level = 0; level < 5; level++) {
    expect(scan(send(chat, ask(text)))).toEqual(found);
    text = JSON.stringify(level % 2 ? { body: text } : text);
  }
});

test('JSON in more strings than are taken apart makes a scan partial', () => {
  let text = JSON.stringify({ to: mail }).replace('@', '\\u0040');
  for (let level = 0; level < 5; level++) text = JSON.stringify({ body: text });
  expect(scan(send(chat, ask(text)))).toEqual(found);
  expect(scan(send(chat, ask(JSON.stringify({ body: text }))))).toMatchObject({
    extent: 'partial',
    missed: 'unreadable',
  });
});

test('JSON in a string that is nested too deep to be taken apart makes a scan partial', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}"jane\\u002eroe@example\\u002ecom"${']'.repeat(depth)}`;
  expect(scan(send(chat, ask(nested(500))))).toEqual(found);
  expect(scan(send(chat, ask(nested(600))))).toMatchObject({ extent: 'partial', missed: 'unreadable' });
  expect(scan(send(chat, ask(`{ no JSON ${secret}`)))).toEqual(found);
});

test("keys and numbers in a tool's arguments are text", () => {
  const call = (args: object) => ({
    model: 'm',
    messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: JSON.stringify(args) } }] }],
  });
  expect(scan(send(chat, call({ [mail]: true })))).toEqual(found);
  expect(scan(send(chat, call({ card: 4111111111111111 }))).types).toEqual(['credit_card']);
  expect(scan(send(chat, call({ '4111 1111 1111 1111': 1 }))).types).toEqual(['credit_card']);
});

test('a text spread over the parts of one message is read as one', () => {
  const parts = ['Write to jane.r', 'oe@exam', 'ple.com.'];
  expect(scan(send(chat, ask(parts.map((text) => ({ type: 'text', text })))))).toEqual(found);
  expect(scan(send(gemini, { contents: [{ parts: parts.map((text) => ({ text })) }] }))).toEqual(found);
  const long = 'Nothing stands in here. '.repeat(50);
  expect(
    scan(send(messages, ask([`${long}${parts[0]}`, `${parts[1]}`, `${parts[2]} ${long}`].map((text) => ({ text }))))),
  ).toEqual(found);
});

test('a file of text is text, and other files are no text that was left out', () => {
  const file = (type: string, text: string) => ({
    contents: [{ parts: [{ inlineData: { mimeType: type, data: Buffer.from(text).toString('base64') } }] }],
  });
  expect(scan(send(gemini, file('text/plain', secret)))).toEqual(found);
  expect(scan(send(gemini, file('image/png', secret.repeat(100))))).toEqual(nothing);
  const uri = `data:text/csv;base64,${Buffer.from(secret).toString('base64')}`;
  expect(scan(send(chat, ask([{ type: 'file', file: { file_data: uri } }])))).toEqual(found);
});

test('text beyond the amount read from one request is reported as left out', () => {
  const long = 'x '.repeat(2_200_000);
  expect(
    scan(
      send(
        chat,
        ask([
          { type: 'text', text: long },
          { type: 'text', text: secret },
        ]),
      ),
    ),
  ).toMatchObject({
    extent: 'partial',
    missed: 'unreadable',
  });
  expect(scan(send(chat, ask('Hi', { user: long })))).toMatchObject({ extent: 'partial', missed: 'unreadable' });
});

const answers: [string, CallPath, object][] = [
  ['a citation', chat, { choices: [{ message: { content: 'Hi', annotations: [{ url_citation: { title: mail } }] } }] }],
  ['reasoning in parts', chat, { choices: [{ message: { content: 'Hi', reasoning_details: [{ text: secret }] } }] }],
  ['an error', chat, { error: { message: secret, type: 'server_error' } }],
  ['a citation', messages, { content: [{ type: 'text', text: 'Hi', citations: [{ cited_text: secret }] }] }],
  ['a search', gemini, { candidates: [{ groundingMetadata: { webSearchQueries: [mail] } }] }],
];

test.each(answers)('%s in an answer is read', (_, asked, body) => {
  expect(scan({ of: 'answer', asked, bytes: Buffer.from(JSON.stringify(body)) })).toEqual(found);
});

const streams: [string, ProviderApi, string, object][] = [
  ['a citation', 'openai', chat.path, { choices: [{ delta: { annotations: [{ url_citation: { title: mail } }] } }] }],
  ['an error', 'openai', chat.path, { error: { message: secret } }],
  [
    'a citation',
    'openai',
    '/v1/responses',
    { type: 'response.output_text.annotation.added', annotation: { url: mail } },
  ],
  ['what only the end says', 'openai', '/v1/responses', { type: 'response.completed', response: { user: mail } }],
  [
    'a citation',
    'anthropic',
    messages.path,
    { type: 'content_block_delta', delta: { citation: { cited_text: mail } } },
  ],
  ['a beginning', 'anthropic', messages.path, { type: 'message_start', message: { model: mail } }],
  ['an error', 'anthropic', messages.path, { type: 'error', error: { message: secret } }],
  ['a search', 'gemini', gemini.path, { candidates: [{ groundingMetadata: { webSearchQueries: [mail] } }] }],
  ['a step', 'gemini', '/v1beta/interactions', { event_type: 'interaction.completed', interaction: { model: mail } }],
  ['a prompt', 'openai', '/v1/images/generations', { type: 'image_generation.completed', revised_prompt: secret }],
];

test.each(streams)('%s in a stream in %s format is read: %s', (_, api, path, frame) => {
  const reader = matchOperation(api, 'POST', path)?.createStreamReader();
  reader?.push(new Frame('', JSON.stringify(frame)));
  if (!reader) throw new Error('no such operation');
  const output = finishReading(reader, true).output();
  expect(Buffer.isBuffer(output) || scan(output)).toEqual(found);
});

test("a stream's message that is not JSON is searched as raw text, and reported", () => {
  const reader = matchOperation('openai', 'POST', chat.path)?.createStreamReader();
  reader?.push(new Frame('', secret));
  if (!reader) throw new Error('no such operation');
  const output = finishReading(reader, true).output();
  expect(Buffer.isBuffer(output) || scan(output)).toMatchObject({ types: ['email'], extent: 'partial' });
});

test('ids, times and the words of a protocol are not personal data', () => {
  const numbers = ['4111111111111111', '8313807536837492492'];
  const ids = [...providerIds, ...numbers];
  for (const id of ids) {
    const answer = {
      id,
      request_id: id,
      object: 'chat.completion',
      created: 1712345678,
      model: 'gpt-4o-2024-08-06',
      system_fingerprint: 'fp_44709d6fcb',
      service_tier: 'default',
      obfuscation: '4111111111111111',
      choices: [{ index: 0, finish_reason: 'stop', logprobs: { content: [{ token: 'Hi', bytes: [72, 105] }] } }],
    };
    expect(scan({ of: 'answer', asked: chat, bytes: Buffer.from(JSON.stringify(answer)) }), id).toEqual(nothing);
  }
  const request = {
    model: 'claude-sonnet-4-20250514',
    anthropic_version: 'bedrock-2023-05-31',
    seed: 4111111111111111,
    metadata: { user_id: '13803d75-b4b5-4c3e-b2a2-6f21399b021b' },
    tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 1024 }, { type: 'web_search_20250305' }],
    messages: [{ role: 'assistant', tool_calls: providerIds.map((id) => ({ id, type: 'function' })) }],
  };
  expect(scan(send(messages, request))).toEqual(nothing);
});
