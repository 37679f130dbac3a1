import { maxJsonDepth, parseJson } from '@agp/core/json';
import { expect, test } from 'vitest';
import { findOperation, readStream } from '../../test/find-operation.ts';
import { Frame } from '../json/frame.ts';
import { maxReportedCalls, type ProviderApi } from './operation.ts';

/** More than a call may have arguments. */
const many = 150_000;

const lists = (item: string) => JSON.parse(`[${Array(many).fill(item).join(',')}]`);

test.each<[ProviderApi, string, object]>([
  ['anthropic', '/v1/messages/batches', { requests: lists('{}') }],
  ['gemini', '/v1beta/models/m:batchEmbedContents', { requests: lists('{}') }],
])('a request in %s format at %s may be made of any number of calls', (api, path, body) => {
  expect(findOperation(path, api).readRequest(body, path).inputText()).toEqual({ parts: [], whole: true });
});

test.each<[ProviderApi, string, object]>([
  ['anthropic', '/v1/messages', { content: lists('{}') }],
  ['openai', '/v1/responses', { output: lists('{}') }],
])('an answer in %s format at %s may have any number of parts', (api, path, body) => {
  expect(findOperation(path, api).readAnswer(body).outputText()).toEqual({ parts: [], whole: true });
});

test('a message, and a line of a batch, may report any number of runs', () => {
  const iterations = lists('{"type":"compaction","input_tokens":1,"output_tokens":1}');
  const message = { model: 'm', usage: { input_tokens: 1, output_tokens: 1, iterations } };
  expect(findOperation('/v1/messages', 'anthropic').readAnswer(message).usage?.promptTokens).toBe(many + 1);
  let calls = 0;
  const reader = findOperation('/v1/messages/batches/b/results', 'anthropic', 'GET').createStreamReader(() => {
    calls += 1;
  });
  reader.push(new Frame('', JSON.stringify({ result: { type: 'succeeded', message } })));
  expect(reader.end()).toMatchObject({ usage: { promptTokens: many + 1 }, isCutShort: true });
  expect(calls).toBe(maxReportedCalls);
});

test('nesting as deep as any that is parsed is walked', () => {
  const body = { messages: parseJson(`${'['.repeat(maxJsonDepth)}"deep"${']'.repeat(maxJsonDepth)}`) };
  expect(findOperation('/v1/chat/completions').readRequest(body, '/').inputText().parts).toEqual(['deep']);
});

test('a stream may be longer than what is held at once', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `${index} `);
  const frames = words.map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const reading = readStream(findOperation('/v1/chat/completions'), ...frames);
  expect(reading.outputText().parts).toEqual([words.join('')]);
});
