import { expect, test } from 'vitest';
import { listOperationNames, nameOperationKind } from './operations.ts';

test.each([
  ['chat.completions', ['chat.completions', 'chat', 'completions']],
  ['messages', ['messages', 'chat']],
  ['completions', ['completions', 'text_completion', 'chat']],
  ['fim.completions', ['fim.completions', 'fim', 'completions', 'text_completion', 'chat']],
  ['generateContent', ['generateContent', 'generate_content']],
  ['streamGenerateContent', ['streamGenerateContent', 'generate_content']],
  ['embedContent', ['embedContent', 'embeddings']],
  ['batchEmbedContents', ['batchEmbedContents', 'embeddings']],
  ['cohere.embed', ['cohere.embed', 'cohere', 'embed', 'embeddings']],
  ['images.edits', ['images.edits', 'images', 'edits']],
  ['messages.batches', ['messages.batches', 'batches']],
  ['predict', ['predict', 'images']],
  ['predictLongRunning', ['predictLongRunning', 'videos']],
  ['batchGenerateContent', ['batchGenerateContent', 'batches']],
])('rules know %s as %j', (operation, names) => {
  expect(listOperationNames(operation)).toEqual(names);
});

test('an operation without a word of OpenTelemetry keeps its own', () => {
  expect(nameOperationKind('responses')).toBe('chat');
  expect(nameOperationKind('images.edits')).toBe('images.edits');
});
