import { operationRows } from '@agp/core/operations';
import { type dialects, matchOperation } from '@agp/metering';
import { inPath, loadCorpus, operations } from '@agp/testing/corpus';
import { expect, test } from 'vitest';

const all = [...operationRows.keys()];

test('the table has every operation, and no other', () => {
  expect(new Set(operations.map(({ name }) => name))).toEqual(new Set([...all, 'unknown']));
});

const paths = operations.flatMap(({ path, alsoAt, ...row }) =>
  [path.replace(inPath, 'm'), ...alsoAt].map((at) => [row.method, at, row.name, row.provider] as const),
);

test.each(paths)('%s %s is %s', (method, path, name, provider) => {
  expect(matchOperation(provider, method, path)?.name ?? 'unknown').toBe(name);
});

/** They start, list or count something, without an answer that bills: what is read of their requests is tested elsewhere. */
const unbilled =
  /^(?:chat\.completions\.get|async\.chat\.completions\.get|batches\.list|computeTokens|fetchPredictOperation|asyncBatchEmbedContent|interactions\.get)$/;

test('every operation whose answer bills has answers in the corpus, in the folder of its name', () => {
  const corpus = loadCorpus();
  for (const { name, dialect, operation, request } of corpus) {
    const api = dialect as keyof typeof dialects;
    const found = matchOperation(api, request.method, request.path.split('?')[0] ?? '');
    expect([name, found?.api, found?.name]).toEqual([name, dialect, operation]);
  }
  const shown = new Set(corpus.map(({ operation }) => operation));
  expect(all.filter((name) => !shown.has(name) && !unbilled.test(name))).toEqual([]);
});
