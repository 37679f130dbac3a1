import type { ApiError } from '@agp/core/errors';
import { matchOperation } from '@agp/metering';
import { expect, test } from 'vitest';
import { assureReadable } from './assure-readable.ts';
import { parseQuery } from './query-parameters.ts';

const path = '/v1beta/models/gemini-2.5-pro:generateContent';

function ask(query: string, headers = {}, api: 'openai' | 'gemini' = 'gemini', target = path): string | null {
  const baseUrl = new URL('https://provider.example');
  try {
    assureReadable({ api, baseUrl }, matchOperation(api, 'POST', target), parseQuery(query), headers);
    return null;
  } catch (error) {
    return (error as ApiError).code;
  }
}

test.each([
  '?alt=proto',
  '?%24alt=proto',
  '?$alt=media',
  '?alt=sse&alt=proto',
  '?callback=f',
  '?key=k&$callback=f',
  '?fields=candidates.content',
  '?%24fields=candidates',
])('a model call of Google whose figures could not be read is refused: %s', (query) => {
  expect(ask(query)).toBe('not_governed');
});

test('a mask of fields is refused as a header, too', () => {
  expect(ask('', { 'x-goog-fieldmask': 'candidates' })).toBe('not_governed');
});

test('readable calls, and calls that are never read, go through', () => {
  for (const query of ['', '?alt=sse', '?alt=json&prettyPrint=false', '?$alt=sse&key=k']) expect(ask(query)).toBeNull();
  expect(ask('?alt=media', {}, 'gemini', '/v1beta/files/f:download')).toBeNull();
  expect(ask('?fields=x&callback=f', {}, 'openai', '/v1/chat/completions')).toBeNull();
});
