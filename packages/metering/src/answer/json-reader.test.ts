import { expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import type { ProviderApi } from '../dialects/operation.ts';
import { JsonReader } from './readers.ts';

function read(api: ProviderApi, path: string, answer: object) {
  const reader = new JsonReader(findOperation(path, api));
  const bytes = Buffer.from(JSON.stringify(answer));
  for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536));
  return reader.end();
}

const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
const lengths = [10, 200_000, 2_000_000];

test.each(lengths)('searches among the output of a response count, next to %i bytes of text', (length) => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(length) }] };
  const answer = {
    model: 'gpt-5',
    output: [search, message, search],
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  };
  expect(read('openai', '/v1/responses', answer)).toMatchObject({
    model: 'gpt-5',
    usage: { promptTokens: 3, webSearches: 2 },
    usageIsFinal: true,
  });
});

test.each(lengths)('searches among the candidates of Gemini count, next to an image of %i bytes', (length) => {
  const answer = {
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(length) } }] },
        groundingMetadata: { webSearchQueries: ['a', 'b'] },
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
    modelVersion: 'gemini-3-pro',
  };
  expect(read('gemini', '/v1beta/models/m:generateContent', answer)).toMatchObject({
    model: 'gemini-3-pro',
    usage: { promptTokens: 3, webSearches: 2 },
    usageIsFinal: true,
  });
});
