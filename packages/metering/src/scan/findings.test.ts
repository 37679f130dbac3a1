import { maxPiiFindings, piiFindingSchema } from '@agp/core/events';
import { createPiiFinder } from '@agp/pii';
import { expect, test } from 'vitest';
import { chat, gemini, messages, responses, send } from '../../test/scan-sources.ts';
import { finishReading } from '../answer/reading.ts';
import { Frame } from '../json/frame.ts';
import { matchOperation } from '../match-operation.ts';
import { createPersonNameDetector } from '../person-names/person-name-detector.ts';
import type { TextSource } from '../text-source.ts';
import { maxPlaces, scanTexts } from './scan-texts.ts';

const find = createPiiFinder({ personNames: createPersonNameDetector() });
const placesOf = (...sources: TextSource[]) =>
  scanTexts(sources, find, () => true).findings.map(({ in: side, message, type }) => `${side} ${message} ${type}`);

const mail = 'Write to jane.roe@example.com today.';
const card = 'Paid with 4111 1111 1111 1111.';
const user = (content: unknown) => ({ role: 'user', content });

test.each([
  ['OpenAI chat', send(chat, { messages: [user('Hi'), user(mail)] })],
  ['a part of a message', send(chat, { messages: [user('Hi'), user([{ type: 'text', text: mail }])] })],
  [
    'parts that are one text',
    send(chat, { messages: [user('Hi'), user([{ text: 'Write to jane.r' }, { text: 'oe@example.com' }])] }),
  ],
  [
    'arguments of a tool',
    send(chat, { messages: [user('Hi'), { tool_calls: [{ function: { arguments: JSON.stringify({ to: mail }) } }] }] }),
  ],
  ['a member that no model reads', send(chat, { messages: [user('Hi'), { ...user('Hi'), id: mail }] })],
  ['OpenAI responses', send(responses, { input: [user('Hi'), user(mail)] })],
  [
    'Anthropic',
    send(messages, { system: 'Hm.', messages: [user('Hi'), user([{ type: 'tool_result', content: mail }])] }),
  ],
  ['Gemini', send(gemini, { contents: [{ parts: [{ text: 'Hi' }] }, { parts: [{ text: mail }] }] })],
])('a finding in the second message says so: %s', (_, source) => {
  expect(placesOf(source)).toEqual(['request 1 email']);
});

test.each([
  ['instructions of Anthropic', send(messages, { system: mail, messages: [user('Hi')] })],
  ['instructions of Gemini', send(gemini, { systemInstruction: { parts: [{ text: mail }] }, contents: [] })],
  ['a user', send(chat, { user: 'jane.roe@example.com', messages: [user('Hi')] })],
  ['a tool', send(chat, { messages: [user('Hi')], tools: [{ function: { description: mail } }] })],
  ['one input', send(responses, { input: mail })],
  ['a body that is none', send(chat, [mail])],
  ['a form', { of: 'request', parts: [mail], whole: true }],
] satisfies [string, TextSource][])('a finding outside of the messages has no index: %s', (_, source) => {
  expect(placesOf(source)).toEqual(['request null email']);
});

test('a finding of the answer says so, and each place is listed once', () => {
  const answer = Buffer.from(JSON.stringify({ choices: [{ message: { content: `${mail} ${mail} ${card}` } }] }));
  const request = send(chat, { messages: [user(`${mail} ${mail}`), user('Hi'), user(mail), user(`${card} ${mail}`)] });
  expect(placesOf(request, { of: 'answer', asked: chat, bytes: answer })).toEqual([
    'request 0 email',
    'request 2 email',
    'request 3 credit_card',
    'request 3 email',
    'response null credit_card',
    'response null email',
  ]);
});

test('a name that a stream divides is a finding of the answer', () => {
  const reader = matchOperation('openai', 'POST', chat.path)?.createStreamReader();
  if (!reader) throw new Error('no such operation');
  for (const content of ['It was Ja', 'n', 'e Ro', 'e who called', '.'])
    reader.push(new Frame('', JSON.stringify({ choices: [{ index: 0, delta: { content } }] })));
  const output = finishReading(reader, true).output();
  if (Buffer.isBuffer(output)) throw new Error('a stream gives its texts, never a body');
  expect(placesOf(output)).toEqual(['response null person_name']);
});

test('of a thousand messages with findings as many are listed as an event takes, and each type is among them', () => {
  const pile = Array.from({ length: 1_000 }, (_, index) => user(`${mail} ${index}`));
  const answer = {
    of: 'answer',
    asked: chat,
    bytes: Buffer.from(JSON.stringify({ choices: [{ text: mail }] })),
  } as const;
  const { types, findings, extent } = scanTexts(
    [send(chat, { messages: [...pile, user(card)] }), answer],
    find,
    () => true,
  );
  expect([types, extent]).toEqual([['credit_card', 'email'], 'full']);
  expect(findings).toHaveLength(maxPlaces);
  expect(maxPlaces).toBe(maxPiiFindings);
  expect(findings).toContainEqual({ in: 'request', message: 1_000, type: 'credit_card' });
  expect(findings.at(-1)).toEqual({ in: 'response', message: null, type: 'email' });
  for (const finding of findings) expect(piiFindingSchema.parse(finding)).toEqual(finding);
});

test('a text that is longer than what is read has its place all the same', () => {
  const long = `${mail} ${'x '.repeat(2_200_000)}`;
  const scanned = scanTexts([send(chat, { messages: [user('Hi'), user(long)] })], createPiiFinder(), () => true);
  expect(scanned).toMatchObject({ extent: 'partial', findings: [{ in: 'request', message: 1, type: 'email' }] });
});

test('one text in very many messages takes no more places than are listed', () => {
  const { findings } = scanTexts(
    [send(chat, { messages: Array.from({ length: 10_000 }, () => user(mail)) })],
    find,
    () => true,
  );
  expect(findings.map(({ message }) => message)).toEqual(Array.from({ length: maxPlaces }, (_, index) => index));
});
