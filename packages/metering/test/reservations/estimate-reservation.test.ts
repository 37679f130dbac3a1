import { describe, expect, test } from 'vitest';
import { makeReserve } from './make-reserve.ts';

const reserveAvailable = makeReserve('available');
const reserve = (path: string, body: object | string | null) => reserveAvailable({ path, body });

const chat = '/v1/chat/completions';
// 100 bytes, which are 25 tokens of input. gpt-4o-mini costs 0.15 USD per million of input, 0.6 of output.
const question = (more: object) => {
  const body = { model: 'gpt-4o-mini', ...more, messages: [{ role: 'user', content: '' }] };
  const rest = 100 - JSON.stringify(body).length;
  return { ...body, messages: [{ role: 'user', content: 'x'.repeat(rest) }] };
};

describe('a request reserves', () => {
  test.each([
    ['its input by size and its output by the bound it sets', { max_tokens: 7 }, 25 * 150 + 7 * 600],
    ['what is configured where it sets none', {}, 25 * 150 + 4_096 * 600],
    ['as much again for each answer it asks for', { n: 3, max_tokens: 7 }, 25 * 150 + 3 * 7 * 600],
  ])('%s', (_, more, nano) => expect(reserve(chat, question(more))).toBe(nano));

  test('a fixed sum for a model or a path whose price nobody knows, and nothing for what is free or asks for nothing', () => {
    expect(reserve(chat, { model: 'no-such-model', messages: [] })).toBe(10_000_000);
    expect(reserve('/v1/some/new/path', {})).toBe(10_000_000);
    expect(reserve('/v1/moderations', { model: 'omni-moderation-latest', input: 'x' })).toBe(0);
    expect(reserve('/v1/models', null)).toBe(0);
  });

  test('a fixed sum for a batch from a file, however large the rest of it is, and what its calls may cost for one that holds them', () => {
    const path = '/v1beta/models/gemini-2.5-flash:batchGenerateContent';
    const make = (batch: object) => reserveAvailable({ path, api: 'gemini', body: { batch } });
    const long = 'x'.repeat(2_000_000);
    expect(make({ displayName: long, inputConfig: { fileName: 'files/f' } })).toBe(10_000_000);
    expect(make({ inputConfig: { requests: { requests: [{ request: { contents: [long] } }] } } })).toBe(520_000_000);
    const many = (count: number) => ({
      requests: { requests: Array.from({ length: count }, () => ({ request: { contents: ['x'] } })) },
    });
    expect(make({ inputConfig: many(100) })).toBeCloseTo(100 * 4_096 * 1_250, -6);
    expect(make({ inputConfig: many(40_000) })).toBeGreaterThan(100e9);
  });

  test('no more than for the longest text that a model is taken to read', () => {
    const body = { model: 'gpt-4o-mini', max_tokens: 7, messages: [{ role: 'user', content: 'A'.repeat(2_000_000) }] };
    expect(reserve(chat, body)).toBe(200_000 * 150 + 7 * 600);
  });

  test('for the dearest of the models that it names, wherever it names them', () => {
    const dear = { model: 'gpt-4o', max_tokens: 1_000, messages: [] };
    const most = reserve(chat, dear);
    expect(most).toBeGreaterThan(10_000_000);
    const messages = 'messages":[]';
    expect(
      reserve(chat, `{"model":"gpt-4o-mini","model":"gpt-4o","max_tokens":1000,"${messages}}`),
    ).toBeGreaterThanOrEqual(most);
    expect(
      reserve(chat, `{"model":"gpt-4o","model":"gpt-4o-mini","max_tokens":1000,"${messages}}`),
    ).toBeGreaterThanOrEqual(most);
    expect(reserve(chat, { ...dear, model: 'gpt-4o-mini', models: ['gpt-4o'] })).toBeGreaterThanOrEqual(most);
    const azure = '/openai/deployments/gpt-4o/chat/completions';
    expect(reserve(azure, { ...dear, model: 'gpt-4o-mini' })).toBeGreaterThanOrEqual(most);
  });

  test('what has no price, though it is no small sum, and much where one factor makes the figure leave all bounds', () => {
    expect(reserve(chat, { model: 'gpt-4o-mini', models: ['no-such-model'], max_tokens: 1, messages: [] })).toBe(
      10_000_000,
    );
    expect(reserve(chat, { model: 'gpt-4o-mini', max_tokens: 1_000_000, n: 1_000_000, messages: [] })).toBeGreaterThan(
      1e11,
    );
  });
});
