import { makeUsage } from '@agp/catalogue';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Frame } from '../frame.ts';
import type { Operation, ReportedCall, StreamReading } from '../operation.ts';
import { anthropic } from './operations.ts';

const resultsPath = '/v1/messages/batches/msgbatch_01AbC/results';
const create = anthropic.match('/v1/messages/batches', 'POST') as Operation;
const results = anthropic.match(resultsPath, 'GET') as Operation;

function read(...lines: (object | string)[]): StreamReading & { calls: ReportedCall[] } {
  const calls: ReportedCall[] = [];
  const reader = results.createStreamReader((call) => calls.push(call));
  for (const line of lines) {
    const data = typeof line === 'string' ? line : JSON.stringify(line);
    reader.push(new Frame('', Buffer.from(data).toString('latin1')));
  }
  return { ...reader.end(), calls };
}

const succeeded = (model: string, usage: object, text = 'Hi') => ({
  custom_id: 'c',
  result: { type: 'succeeded', message: { model, usage, content: [{ type: 'text', text }] } },
});

describe('making a batch', () => {
  const params = (model: string, content: string) => ({ params: { model, messages: [{ role: 'user', content }] } });

  test('is free, and the texts of all its requests are read', () => {
    const body = { requests: [params('m', 'one'), { params: { ...params('m', 'two').params, system: 'Be brief.' } }] };
    const reading = create.readRequest(body, '');
    expect(create.isFree).toBe(true);
    expect(reading).toMatchObject({ requestedModel: 'm', stream: false });
    expect(reading.inputText().parts).toEqual(['one', 'Be brief.', 'two']);
    expect(create.readAnswer({ id: 'msgbatch_01AbC', type: 'message_batch' }).usage).toBeNull();
  });

  test('for several models names none', () => {
    const body = { requests: [params('m', 'one'), params('n', 'two')] };
    expect(create.readRequest(body, '').requestedModel).toBeNull();
  });
});

describe('the results of a batch', () => {
  test('are billed once, by its id', () => {
    expect(results.billedOnce?.(resultsPath)).toBe('msgbatch_01AbC');
    expect(results.answerFormat).toBe('lines');
  });

  test('what succeeded is billed, each call by itself, at the price of a batch', () => {
    const reading = read(
      succeeded('m', { input_tokens: 10, output_tokens: 20, service_tier: 'batch' }, 'Grüße'),
      { custom_id: 'c', result: { type: 'errored', error: { error: { type: 'invalid_request_error' } } } },
      { custom_id: 'c', result: { type: 'canceled' } },
      { custom_id: 'c', result: { type: 'expired' } },
      '',
      succeeded('m', { input_tokens: 1, cache_read_input_tokens: 4, output_tokens: 3 }, 'an alle'),
    );
    const first = makeUsage({ promptTokens: 10, completionTokens: 20 });
    const second = makeUsage({ promptTokens: 5, completionTokens: 3, cacheReadTokens: 4 });
    expect(reading.calls).toEqual([
      { model: 'm', usage: first },
      { model: 'm', usage: second },
    ]);
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 15, completionTokens: 23, cacheReadTokens: 4 }));
    expect(reading).toMatchObject({ model: 'm', serviceTier: 'batch', usageIsFinal: true, sawEnd: false });
    expect(reading.outputText()).toEqual({ parts: ['Grüße\nan alle\n'], whole: true });
  });

  test('of several models name none', () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    expect(read(succeeded('m', usage), succeeded('n', usage)).model).toBeNull();
  });

  test('without any success cost nothing', () => {
    expect(read({ custom_id: 'c', result: { type: 'expired' } })).toMatchObject({ usage: null, usageIsFinal: false });
  });

  test('a line that was cut is not counted, and said to be unread', () => {
    const line = succeeded('m', { input_tokens: 1, output_tokens: 2 });
    const reading = read(line, JSON.stringify(line).slice(0, -9));
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 1, completionTokens: 2 }));
    expect(reading.outputText().whole).toBe(false);
  });

  test('no line makes the reader throw', () => {
    const result = fc.record({ type: fc.constantFrom('succeeded', 'errored'), message: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.record({ result }), fc.json(), fc.string())), (lines) => {
        expect(typeof read(...lines).outputText().whole).toBe('boolean');
      }),
    );
  });
});
