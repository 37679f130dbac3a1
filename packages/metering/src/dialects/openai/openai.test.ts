import { makeUsage } from '@agp/catalogue';
import { maxJsonDepth, parseJson } from '@agp/core/json';
import { describe, expect, test } from 'vitest';
import { findOperation, readStream } from '../../../test/find-operation.ts';

const chat = findOperation('/v1/chat/completions');
const completions = findOperation('/v1/completions');
const responses = findOperation('/v1/responses');
const embeddings = findOperation('/v1/embeddings');

describe('requests', () => {
  test('chat completions: model, stream and text', () => {
    const reading = chat.readRequest(
      {
        model: 'gpt-4o-mini',
        stream: true,
        max_tokens: 5,
        max_completion_tokens: 7,
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
          { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":"it"}' } }] },
        ],
        tools: [{ type: 'function', function: { name: 'look', description: 'Looks.' } }],
      },
      '/v1/chat/completions',
    );
    expect(reading).toMatchObject({ requestedModel: 'gpt-4o-mini', stream: true });
    expect(reading.inputText()).toEqual({
      parts: ['Be brief.', 'What is this?', 'look', '{"at":"it"}', 'look', 'Looks.'],
      whole: true,
    });
  });

  test('the model of an Azure path, where the body names none', () => {
    const path = '/openai/deployments/my-gpt/chat/completions';
    expect(findOperation(path).readRequest({ messages: [] }, path).requestedModel).toBe('my-gpt');
  });

  test('responses and embeddings', () => {
    const response = responses.readRequest({ model: 'o3', instructions: 'a', input: 'b', max_output_tokens: 9 }, '/');
    expect(response).toMatchObject({ requestedModel: 'o3', stream: false });
    expect(response.inputText().parts).toEqual(['a', 'b']);
    const embedding = embeddings.readRequest({ model: 'e', input: ['x', 'y'] }, '/');
    expect(embedding.inputText().parts).toEqual(['x', 'y']);
    expect(embedding.toldUsage).toEqual({ promptTokens: 0 });
  });

  test.each([
    [embeddings, { input: [1, 2, 3] }, 3],
    [embeddings, { input: [[1, 2], [3]] }, 3],
    [embeddings, { input: ['one'] }, 0],
    [completions, { prompt: [[9, 8, 7]] }, 3],
    [completions, { prompt: 'one' }, 0],
  ])('tokens that the caller made itself are counted: %#', (from, body, promptTokens) => {
    const reading = from.readRequest(body, '/');
    expect(reading.toldUsage).toEqual({ promptTokens });
    expect(reading.inputText().parts).toHaveLength(promptTokens > 0 ? 0 : 1);
  });

  test.each([[null], [1], ['text'], [[]], [{ model: 7, stream: 'true', max_tokens: -1 }]])(
    '%j says nothing',
    (body) => {
      const nothing = { requestedModel: null, stream: false };
      expect(chat.readRequest(body, '/v1/chat/completions')).toMatchObject(nothing);
    },
  );

  test('nesting as deep as any that is parsed is walked', () => {
    const body = { messages: parseJson(`${'['.repeat(maxJsonDepth)}"deep"${']'.repeat(maxJsonDepth)}`) };
    expect(chat.readRequest(body, '/').inputText().parts).toEqual(['deep']);
  });
});

/** Figures from the API reference: cached and audio input are in prompt_tokens, reasoning in completion_tokens. */
const chatUsage = {
  prompt_tokens: 2006,
  completion_tokens: 300,
  total_tokens: 2306,
  prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0, accepted_prediction_tokens: 0 },
};
const chatUsageRead = makeUsage({
  promptTokens: 2006,
  completionTokens: 300,
  cacheReadTokens: 1920,
  reasoningTokens: 256,
});

describe('answers', () => {
  test('a chat completion', () => {
    const reading = chat.readAnswer({
      model: 'gpt-4o-mini-2024-07-18',
      choices: [
        {
          message: {
            content: 'Hi',
            tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
        },
      ],
      usage: chatUsage,
    });
    expect(reading.model).toBe('gpt-4o-mini-2024-07-18');
    expect(reading.usage).toEqual(chatUsageRead);
    expect(reading.outputText()).toEqual({ parts: ['Hi', 'f', '{}'], whole: true });
  });

  test('a legacy completion, embeddings', () => {
    const text = completions.readAnswer({
      choices: [{ text: 'a' }, { text: 'b' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    expect(text.usage).toEqual(makeUsage({ promptTokens: 1, completionTokens: 2 }));
    expect(text.outputText().parts).toEqual(['a', 'b']);
    const vectors = embeddings.readAnswer({ model: 'e', data: [], usage: { prompt_tokens: 8, total_tokens: 8 } });
    expect(vectors.usage).toEqual(makeUsage({ promptTokens: 8 }));
  });

  test.each([
    [undefined],
    [null],
    ['usage'],
    [{}],
    [{ prompt_tokens: -1, completion_tokens: 1 }],
    [{ prompt_tokens: 'twelve', completion_tokens: 1 }],
    [{ completion_tokens: 1 }],
    [{ total_tokens: 1 }],
    [{ prompt_tokens: 1, completion_tokens: 1e300 }],
    [{ prompt_tokens: 1, completion_tokens: [] }],
    [{ prompt_tokens: Number.NaN }],
  ])('usage of %j is not used', (usage) => {
    expect(chat.readAnswer({ usage }).usage).toBeNull();
  });

  test('odd details do not spoil good totals', () => {
    const usage = {
      prompt_tokens: 10.9,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 99 },
      completion_tokens_details: 'none',
    };
    expect(chat.readAnswer({ usage }).usage).toEqual(
      makeUsage({ promptTokens: 10, completionTokens: 5, cacheReadTokens: 10 }),
    );
  });
});

describe('streams of completions', () => {
  const chunk = (delta: object, rest: object = {}) => ({ model: 'm-1', choices: [{ index: 0, delta }], ...rest });

  test('with the usage chunk that was asked for', () => {
    const reading = readStream(
      chat,
      chunk({ role: 'assistant', content: '' }, { usage: null }),
      chunk({ content: 'Grüße' }, { usage: null }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"a' } }] }),
      { model: 'm-1', choices: [], usage: chatUsage },
      '[DONE]',
    );
    expect(reading).toMatchObject({
      model: 'm-1',
      usage: chatUsageRead,
      usageIsFinal: true,
      sawEnd: true,
      failed: false,
    });
    expect(reading.outputText()).toEqual({ parts: ['Grüße', 'f', '{"a'], whole: true });
  });

  test('with usage in the last chunk that has choices, as some servers send it', () => {
    const reading = readStream(chat, chunk({ content: 'a' }), chunk({}, { usage: chatUsage }), '[DONE]');
    expect(reading).toMatchObject({ usage: chatUsageRead, usageIsFinal: true });
  });

  test('with usage that counts along, cut', () => {
    const reading = readStream(chat, chunk({ content: 'a' }, { usage: { prompt_tokens: 9, completion_tokens: 1 } }));
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(reading.usage?.promptTokens).toBe(9);
  });

  test('without usage, cut', () => {
    const reading = readStream(
      chat,
      chunk({ content: 'one ' }),
      chunk({ content: '"usage":{"prompt_tokens":1}' }),
      '{"choi',
    );
    expect(reading).toMatchObject({ model: 'm-1', usage: null, usageIsFinal: false, sawEnd: false });
    expect(reading.outputText().parts).toEqual(['one "usage":{"prompt_tokens":1}']);
  });

  test('with an error', () => {
    expect(readStream(chat, chunk({ content: 'a' }), { error: { message: 'no' } }).failed).toBe(true);
  });

  test('of the legacy kind', () => {
    const reading = readStream(completions, { choices: [{ text: 'a' }] }, { choices: [{ text: 'b' }] });
    expect(reading.outputText().parts).toEqual(['ab']);
  });

  test('longer than what is held at once', () => {
    const reading = readStream(chat, ...Array.from({ length: 5_000 }, (_, i) => chunk({ content: `${i} ` })));
    expect(reading.outputText().parts).toEqual([Array.from({ length: 5_000 }, (_, i) => `${i} `).join('')]);
  });
});
