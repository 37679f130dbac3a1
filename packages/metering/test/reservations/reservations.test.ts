import { describe, expect, test } from 'vitest';
import { matchOperation } from '../../src/match-operation.ts';
import { anthropicRows } from './anthropic-rows.ts';
import { bedrockRows } from './bedrock-rows.ts';
import { geminiRows } from './gemini-rows.ts';
import { makeReserve, type ReservedRequest } from './make-reserve.ts';
import { mediaRows } from './media-rows.ts';
import { openaiRows } from './openai-rows.ts';

/*
 * The reservation for each member that bounds or multiplies output. A token of output costs a thousandth of a dollar and nothing
 * else costs anything, so that reservations read as tokens.
 */
const entries = [
  { model: 'm', prices: { input_mtok: 0, output_mtok: 1_000, web_searches_kcount: 0 } },
  { model: 'free', prices: { input_mtok: 0, output_mtok: 0 } },
  { model: 'drawn', prices: { output_images_kcount: 1 } },
  { model: 'spoken', prices: { input_mchars: 1_000 } },
];
const reserveAvailable = makeReserve('available', entries);
const reserveStrict = makeReserve('strict', entries);

const inTokens = (nanoUsd: number) => nanoUsd / 1e6;

/** Tokens, or the reason why it is refused. */
function reserve(reserveOne: typeof reserveStrict, request: ReservedRequest): number | string {
  try {
    return inTokens(reserveOne(request));
  } catch (error) {
    return (error as Error).message.replace('the cost cannot be bounded: ', '');
  }
}

const operations = [...openaiRows, ...mediaRows, ...anthropicRows, ...geminiRows, ...bedrockRows];

for (const { path, api, rows } of operations) {
  describe(path, () => {
    test.each(rows)('%j', (body, available, strict) => {
      const request = { path, ...(api && { api }), body };
      expect(reserve(reserveAvailable, request)).toBe(available);
      const most = reserve(reserveStrict, request);
      if (strict instanceof RegExp) expect(most).toMatch(strict);
      else expect(most).toBe(strict);
    });
  });
}

test('each operation that costs anything has its rows, and a list of what its requests may hold', () => {
  const named = operations.map(({ path, api = 'openai' }) => matchOperation(api, 'POST', path));
  for (const operation of named) {
    expect(operation, 'an operation').not.toBeNull();
    // A transcript has no bound, and a reranking costs its question for each document.
    const isUnbounded = /^(?:audio\.trans|rerank)/.test(operation?.name ?? '');
    if (operation && !operation.isFree && !isUnbounded) expect(operation.bounds, operation.name).toBeDefined();
  }
});
