import { makeUsage } from '@agp/core/pricing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchOperation } from '../match-operation.ts';
import type { Operation, StreamReading } from '../operation.ts';

function operation(name: string): Operation {
  const found = matchOperation('gemini', 'POST', `/v1beta/models/gemini-2.5-flash:${name}`);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}

const generate = operation('generateContent');
const streamed = operation('streamGenerateContent');

function stream(...frames: unknown[]): StreamReading {
  const reader = streamed.createStreamReader();
  for (const frame of frames) reader.push('', Buffer.from(JSON.stringify(frame)).toString('latin1'));
  return reader.end();
}

describe('requests', () => {
  test('the model is in the path, and the operation says whether it streams', () => {
    const body = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
      generationConfig: { maxOutputTokens: 100 },
    };
    const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
    const reading = streamed.readRequest(body, path);
    expect(reading).toMatchObject({ requestedModel: 'gemini-2.5-flash', stream: true, maxOutputTokens: 100 });
    expect(reading.inputText()).toBe('Be brief.\nHi');
    expect(generate.readRequest(null, path.replace('streamG', 'g'))).toMatchObject({
      stream: false,
      maxOutputTokens: null,
    });
  });

  test('embeddings, one and many', () => {
    const content = { parts: [{ text: 'one' }] };
    expect(operation('embedContent').readRequest({ content }, '/').inputText()).toBe('one');
    const requests = [
      { model: 'models/e', content },
      { model: 'models/e', content: { parts: [{ text: 'two' }] } },
    ];
    expect(operation('batchEmbedContents').readRequest({ requests }, '/').inputText()).toBe('one\ntwo');
  });
});

describe('answers', () => {
  test.each([
    [
      'thoughts are output besides the candidates',
      { promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 300, totalTokenCount: 330 },
      makeUsage({ promptTokens: 10, completionTokens: 320, reasoningTokens: 300 }),
    ],
    [
      'cached input is in the prompt, what tools returned is not',
      {
        promptTokenCount: 5000,
        cachedContentTokenCount: 4000,
        toolUsePromptTokenCount: 700,
        candidatesTokenCount: 9,
        totalTokenCount: 5709,
      },
      makeUsage({ promptTokens: 5700, completionTokens: 9, cacheReadTokens: 4000 }),
    ],
    [
      'kinds of input and output that have prices of their own',
      {
        promptTokenCount: 1000,
        candidatesTokenCount: 1300,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 200 },
          { modality: 'AUDIO', tokenCount: 500 },
          { modality: 'IMAGE', tokenCount: 258 },
          { modality: 'VIDEO', tokenCount: 42 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
        cachedContentTokenCount: 100,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
      makeUsage({
        promptTokens: 1000,
        completionTokens: 1300,
        cacheReadTokens: 100,
        cacheReadAudioTokens: 100,
        inputAudioTokens: 500,
        inputImageTokens: 258,
        inputVideoTokens: 42,
        outputImageTokens: 1290,
      }),
    ],
    ['a prompt that was blocked', { promptTokenCount: 10, totalTokenCount: 10 }, makeUsage({ promptTokens: 10 })],
  ])('%s', (_, usageMetadata, expected) => {
    expect(generate.readAnswer({ usageMetadata }).usage).toEqual(expected);
  });

  test.each([
    [null],
    [{}],
    [{ promptTokenCount: '10' }],
    [{ promptTokenCount: 1, thoughtsTokenCount: -1 }],
    [{ promptTokenCount: 1e9, toolUsePromptTokenCount: 1e9 }],
  ])('usage of %j is not used', (usageMetadata) => {
    expect(generate.readAnswer({ usageMetadata }).usage).toBeNull();
  });

  test('model and text', () => {
    const parts = [
      { text: 'Hm.', thought: true },
      { text: 'Yes.' },
      { functionCall: { name: 'get', args: { city: 'Rome' } } },
    ];
    const reading = generate.readAnswer({ modelVersion: 'gemini-2.5-flash', candidates: [{ content: { parts } }] });
    expect(reading.model).toBe('gemini-2.5-flash');
    expect(reading.outputText()).toBe('Hm.\nYes.\nget\nRome');
  });
});

describe('streams', () => {
  const frame = (text: string, usageMetadata: object | null, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason, index: 0 }],
    usageMetadata,
    modelVersion: 'gemini-2.5-flash',
  });

  test('each frame counts all until then, the last one with figures counts', () => {
    const reading = stream(
      frame('Grüße ', { promptTokenCount: 9, totalTokenCount: 9 }),
      frame('an ', { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 21 }),
      frame('alle', { promptTokenCount: 9, candidatesTokenCount: 6, thoughtsTokenCount: 21 }, 'STOP'),
      frame('', null),
    );
    expect(reading).toMatchObject({ model: 'gemini-2.5-flash', usageIsFinal: true, sawEnd: true, failed: false });
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 9, completionTokens: 27, reasoningTokens: 21 }));
    expect(reading.outputText()).toBe('Grüße an alle');
  });

  test('cut before its end', () => {
    const reading = stream(frame('only this', { promptTokenCount: 9, candidatesTokenCount: 2 }));
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(reading.usage?.completionTokens).toBe(2);
  });

  test('an error in the stream', () => {
    expect(stream({ error: { code: 503, message: 'no', status: 'UNAVAILABLE' } }).failed).toBe(true);
    expect(stream(frame('"error":{"code":503}', null)).failed).toBe(false);
  });

  test('no frame makes the reader throw', () => {
    const candidates = fc.array(fc.record({ content: fc.jsonValue(), finishReason: fc.jsonValue() }));
    const odd = fc.record({ candidates, usageMetadata: fc.jsonValue(), modelVersion: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.jsonValue(), fc.string({ unit: 'binary' }))), (frames) => {
        expect(typeof stream(...frames).outputText()).toBe('string');
      }),
    );
  });
});
