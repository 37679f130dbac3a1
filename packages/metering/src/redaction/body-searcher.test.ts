import { afterAll, expect, test } from 'vitest';
import { createBodySearcher } from './body-searcher.ts';

const searcher = createBodySearcher({ largest: 1_000_000 });
afterAll(() => searcher.stop());

const ask = (content: string, patterns: { kind: string; pattern: string; longest: number }[] = []) => {
  const config = { kinds: ['email', 'own'], patterns, findsLabels: false };
  const bytes = Buffer.from(JSON.stringify({ content }));
  const question = { bytes, contentType: 'application/json', from: 'request' as const, mayBeText: false, config };
  return searcher.search(question, { agentId: 'a', source: null });
};
const costly = [{ kind: 'own', pattern: '(?i)(?:[a-z ]{1,58})[a-z ]{1,60}#', longest: 3 }];
const words = 'lorem ipsum '.repeat(1_000);

test('what may take long is searched in a worker, by its size and by what its patterns cost', async () => {
  expect(ask(`${words}ada@example.com`)).not.toBeInstanceOf(Promise);
  for (const asked of [ask(words.repeat(4)), ask(`${words}ab#`, costly)]) {
    expect(asked).toBeInstanceOf(Promise);
    expect((await asked).unsearched).toBeNull();
  }
  expect((await ask(`${words}ab#`, costly)).places).toHaveLength(1);
});
