import { createPiiFinder } from '@agp/pii';
import { expect, test } from 'vitest';
import { gemini, messages, send } from '../../test/scan-sources.ts';
import { JsonReader } from '../answer/readers.ts';
import { finishReading } from '../answer/reading.ts';
import { matchOperation } from '../match-operation.ts';
import { readText, type TextSource } from '../text/text-source.ts';
import { scanTexts } from './scan-texts.ts';

/** What a body says and its parsed value does not. */

const find = createPiiFinder();
const scan = (source: TextSource) => {
  const { types, extent } = scanTexts([source], find, () => true);
  return { types, extent };
};

const stream = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
const found = { types: ['credit_card'], extent: 'full' };
const nothing = { types: [], extent: 'full' };

const long = '6304123456789012347';
const inputs = [
  '{"card":4111111111111111,"card":0}',
  '{"a":{"card":[4111111111111111]},"a":1}',
  `{"card":${long}}`,
  `{"said":"\\"}]","cards": [\n1, ${long} ]}`,
  '{"card":"4111 1111 1111 1111","card":""}',
];

const use = (input: string) => `{"type":"tool_use","id":"toolu_1","name":"pay","input":${input}}`;
const call = (args: string) => `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]}}]}`;
const asked = (input: string) => `{"model":"m","messages":[{"role":"assistant","content":[${use(input)}]}]}`;
const sent = (body: string) => send(messages, body);

test.each(inputs)('what a tool gets is read as it is written, in requests and answers: %s', (input) => {
  expect(scan(sent(asked(input)))).toEqual(found);
  expect(scan(sent(`{"model":"m","metadata":${input},"messages":[]}`))).toEqual(found);
  const answers = [
    [messages, `{"content":[${use(input)}]}`],
    [gemini, call(input)],
  ] as const;
  for (const [to, body] of answers) {
    const bytes = Buffer.from(body);
    expect(scan({ of: 'answer', asked: to, bytes })).toEqual(found);
    // It came in one piece, and its figures were read.
    const operation = matchOperation(to.api, to.method, to.path);
    if (!operation) throw new Error('no such operation');
    const reader = new JsonReader(operation);
    reader.push(bytes);
    const output = reader.end().output();
    expect(Buffer.isBuffer(output) || scan(output)).toEqual(found);
  }
});

test.each(inputs)('and in streams: %s', (input) => {
  const streams = [
    ['anthropic', messages.path, `{"type":"content_block_start","index":0,"content_block":${use(input)}}`],
    ['anthropic', messages.path, `{"type":"message_start","message":{"content":[${use(input)}]}}`],
    ['anthropic', '/v1/messages/batches/b/results', `{"result":{"message":{"content":[${use(input)}]}}}`],
    ['gemini', stream, call(input)],
  ] as const;
  for (const [api, path, frame] of streams) {
    const operation = matchOperation(api, path.endsWith('results') ? 'GET' : 'POST', path);
    const reader = operation?.createStreamReader();
    if (!reader) throw new Error('no such operation');
    reader.push('', frame);
    const output = finishReading(reader, true).output();
    expect(Buffer.isBuffer(output) || scan(output), frame).toEqual(found);
  }
});

test("the protocol's numbers are no text, however long or often they are written", () => {
  for (const number of [long, '4111111111111111,"seed":0']) {
    expect(scan(sent(`{"model":"m","seed":${number},"messages":[],"input":[{"seed":${number}}]}`))).toEqual(nothing);
    const bytes = Buffer.from(`{"id":${long},"created":${number},"content":[{"index":${long},"text":"Hi"}]}`);
    expect(scan({ of: 'answer', asked: messages, bytes })).toEqual(nothing);
  }
});

test('they add nothing to what is counted as tokens', () => {
  const count = (input: string) => readText(sent(asked(input)), 'model').parts;
  expect(count(`{"card":${long}}`)).toEqual(['pay', `card: ${Number(long)}`]);
  expect(count('{"card":4111111111111111,"card":0}')).toEqual(['pay', 'card: 0']);
  const bytes = Buffer.from(`{"content":[${use(inputs[4] ?? '')}]}`);
  expect(readText({ of: 'answer', asked: messages, bytes }, 'model').parts).toEqual(['pay']);
});

test('an answer that broke off is read as far as it came', () => {
  const bytes = Buffer.from(`{"content":[${use('{"card":4111111111111111,"card":0,"to":"x')}`.slice(0, -2));
  expect(scan({ of: 'answer', asked: messages, bytes })).toEqual({ ...found, extent: 'partial' });
});
