import { createPriceUsage } from '@agp/core/pricing';
import { describe, expect, test } from 'vitest';
import type { ProxyContext } from '../context.ts';
import { inspectBody } from '../inspect-body.ts';
import type { Body, Head } from '../journey.ts';
import type { Provider } from '../load-providers.ts';
import { matchOperation } from '../providers/index.ts';
import { estimateReservation } from './estimate-reservation.ts';

const provider = { id: 'openai', api: 'openai', baseUrl: new URL('https://api.openai.com'), basePath: '' } as Provider;

/** What a request reserves, in nano-dollars. */
function reserve(path: string, body: object | null, budget: 'available' | 'strict' = 'available'): number {
  const config = { budget, budgetDefaultOutputTokens: 4_096, budgetUnpricedUsd: 0.01 };
  const context = { config, priceUsage: createPriceUsage() } as ProxyContext;
  const operation = matchOperation('openai', body ? 'POST' : 'GET', path);
  const head = { provider, operation, hasBody: body !== null, timestamp: Date.UTC(2026, 10, 1) } as Head;
  const bytes = Buffer.from(JSON.stringify(body));
  const inspected = operation && body ? inspectBody(operation, provider, bytes, path, 'application/json') : null;
  return estimateReservation(context, head, { inspected } as Body);
}

const chat = '/v1/chat/completions';
// 100 bytes, which are 25 tokens of input. gpt-4o costs 2.50 USD per million of input, 10 of output.
const question = (more: object) => {
  const body = { model: 'gpt-4o', ...more, messages: [{ role: 'user', content: '' }] };
  const rest = 100 - JSON.stringify(body).length;
  return { ...body, messages: [{ role: 'user', content: 'x'.repeat(rest) }] };
};

describe('a request reserves', () => {
  test.each([
    ['its input by size and its output by the bound it sets', { max_tokens: 7 }, 25 * 2_500 + 7 * 10_000],
    ['what is configured where it sets none', {}, 25 * 2_500 + 4_096 * 10_000],
    ['as much again for each answer it asks for', { n: 3, max_tokens: 7 }, 25 * 2_500 + 3 * 7 * 10_000],
  ])('%s', (_, more, nano) => expect(reserve(chat, question(more))).toBe(nano));

  test('a byte for each token of input, and the longest answer there is, where it must be an upper bound', () => {
    expect(reserve(chat, question({ max_tokens: 7 }), 'strict')).toBe(100 * 2_500 + 7 * 10_000);
    expect(reserve(chat, question({ n: 2 }), 'strict')).toBe(100 * 2_500 + 2 * 131_072 * 10_000);
  });

  test('a fixed sum for a model or a path whose price nobody knows, and nothing for what is free or asks for nothing', () => {
    expect(reserve(chat, { model: 'no-such-model', messages: [] })).toBe(10_000_000);
    expect(reserve('/v1/some/new/path', {})).toBe(10_000_000);
    expect(reserve('/v1/moderations', { model: 'omni-moderation-latest', input: 'x' })).toBe(0);
    expect(reserve('/v1/models', null)).toBe(0);
  });

  test('no more for a picture than for the longest text', () => {
    const url = `data:image/png;base64,${'A'.repeat(2_000_000)}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const body = { model: 'gpt-4o', max_tokens: 7, messages: [{ role: 'user', content }] };
    expect(reserve(chat, body)).toBe(200_000 * 2_500 + 7 * 10_000);
  });
});
