import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { gemini } from './operations.ts';

const operation = (name: string) => gemini.match(`/v1beta/models/gemini-2.5-flash:${name}`, 'POST') as Operation;
const generate = operation('generateContent');
const parts = (...texts: string[]) => texts.map((text) => ({ text }));

describe('requests', () => {
  test('the model is in the path, and the operation says whether it streams', () => {
    const body = {
      systemInstruction: { parts: parts('Be brief.') },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
      generationConfig: { maxOutputTokens: 100 },
    };
    const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
    const reading = operation('streamGenerateContent').readRequest(body, path);
    expect(reading).toMatchObject({ requestedModel: 'gemini-2.5-flash', stream: true });
    expect(reading.inputText()).toEqual({ parts: ['Be brief.', 'Hi'], whole: true });
    expect(generate.readRequest(null, path.replace('streamG', 'g'))).toMatchObject({ stream: false });
  });

  const content = { parts: parts('one') };
  const contents = [{ parts: parts('two') }];
  test.each<[string, object, string[]]>([
    ['embedContent', { content }, ['one']],
    ['batchEmbedContents', { requests: [{ content }, { content: contents[0] }] }, ['one', 'two']],
    ['countTokens', { contents }, ['two']],
    ['countTokens', { generateContentRequest: { contents, systemInstruction: content } }, ['one', 'two']],
    [
      'batchGenerateContent',
      { batch: { inputConfig: { requests: { requests: [{ request: { contents }, metadata: { key: 'k' } }] } } } },
      ['two'],
    ],
    [
      'generateContent',
      { contents: [{ parts: [{ functionCall: { name: 'get', args: { city: 'Rome' } } }] }] },
      ['get', 'city: Rome'],
    ],
    [
      'generateContent',
      { contents: [{ parts: [{ functionResponse: { name: 'get', response: { sky: 'clear' } } }] }] },
      ['get', 'sky: clear'],
    ],
  ])('the text of %s %j', (name, body, expected) => {
    expect(operation(name).readRequest(body, '/').inputText().parts).toEqual(expected);
  });

  test.each([
    ['countTokens', true],
    ['batchGenerateContent', true],
    ['generateContent', false],
    ['embedContent', false],
  ])('%s is free: %s', (name, isFree) => {
    expect(operation(name).isFree).toBe(isFree);
  });
});

const read = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });
const of = (modality: string, tokenCount: number) => ({ modality, tokenCount });

describe('answers', () => {
  test.each([
    [
      'thoughts are output in addition to the candidates',
      { promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 300, totalTokenCount: 330 },
      { ...read(10, 320), reasoningTokens: 300 },
    ],
    [
      'thoughts that the total shows to be counted among the candidates',
      { promptTokenCount: 10, candidatesTokenCount: 320, thoughtsTokenCount: 300, totalTokenCount: 330 },
      { ...read(10, 320), reasoningTokens: 300 },
    ],
    [
      'thoughts that the total does not tell yet, before the first candidate',
      { promptTokenCount: 10, thoughtsTokenCount: 300, totalTokenCount: 10 },
      { ...read(10, 300), reasoningTokens: 300 },
    ],
    [
      'candidates that only the total tells',
      { promptTokenCount: 10, thoughtsTokenCount: 300, totalTokenCount: 330 },
      { ...read(10, 320), reasoningTokens: 300 },
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
      { ...read(5700, 9), cacheReadTokens: 4000 },
    ],
    [
      'a total that leaves out what tools returned',
      { promptTokenCount: 50, toolUsePromptTokenCount: 700, candidatesTokenCount: 9, totalTokenCount: 59 },
      read(750, 9),
    ],
    [
      'kinds of input and output that have prices of their own',
      {
        promptTokenCount: 1000,
        candidatesTokenCount: 1300,
        promptTokensDetails: [of('TEXT', 200), of('AUDIO', 500), of('IMAGE', 258), of('VIDEO', 42)],
        cacheTokensDetails: [of('AUDIO', 100)],
        cachedContentTokenCount: 100,
        candidatesTokensDetails: [of('IMAGE', 1290)],
      },
      {
        ...read(1000, 1300),
        cacheReadTokens: 100,
        cacheReadAudioTokens: 100,
        inputAudioTokens: 500,
        inputImageTokens: 258,
        inputVideoTokens: 42,
        outputImageTokens: 1290,
      },
    ],
    ['a prompt that was blocked', { promptTokenCount: 10, totalTokenCount: 10 }, { promptTokens: 10 }],
    [
      'an embedding of an image',
      { promptTokenCount: 260, promptTokenDetails: [of('IMAGE', 258)] },
      { promptTokens: 260, inputImageTokens: 258 },
    ],
  ])('%s', (_, usageMetadata, expected) => {
    expect(generate.readAnswer({ usageMetadata }).usage).toEqual(makeUsage(expected));
  });

  test.each([
    [null],
    [{}],
    [{ trafficType: 'ON_DEMAND' }],
    [{ promptTokenCount: '10' }],
    [{ promptTokenCount: 1, thoughtsTokenCount: -1 }],
    [{ promptTokenCount: 1e9, toolUsePromptTokenCount: 1e9 }],
  ])('usage of %j is not used', (usageMetadata) => {
    expect(generate.readAnswer({ usageMetadata }).usage).toBeNull();
  });

  test.each([
    [{ serviceTier: 'flex' }, 'flex'],
    [{ trafficType: 'ON_DEMAND' }, 'ON_DEMAND'],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, 'PRIORITY'],
    [{ trafficType: 'TRAFFIC_TYPE_UNSPECIFIED' }, null],
    [{}, null],
  ])('the tier of %j is %s', (usageMetadata, tier) => {
    expect(generate.readAnswer({ usageMetadata }).serviceTier).toBe(tier);
  });

  test.each([
    ['gemini-2.5-flash', ['a', 'b'], 1],
    ['gemini-3-pro-preview', ['a', '', 'b', 'a'], 2],
    ['gemini-3.5-flash', [], 0],
  ])('%s bills searches for %j as %i', (modelVersion, webSearchQueries, webSearches) => {
    const candidates = [{ groundingMetadata: { webSearchQueries } }];
    const answer = { modelVersion, candidates, usageMetadata: { promptTokenCount: 1 } };
    expect(generate.readAnswer(answer).usage?.webSearches).toBe(webSearches);
  });

  test('model and text', () => {
    const content = {
      parts: [
        { text: 'Hm.', thought: true, thoughtSignature: 'AAAA' },
        { text: 'Yes.' },
        { functionCall: { id: 'c1', name: 'get', args: { city: 'Rome' } } },
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      ],
    };
    const reading = generate.readAnswer({ modelVersion: 'gemini-2.5-flash', candidates: [{ content }] });
    expect(reading.model).toBe('gemini-2.5-flash');
    expect(reading.outputText().parts).toEqual(['Hm.', 'Yes.', 'get\n', 'city: Rome\n', 'print(1)\n', '1\n']);
  });
});
