import { makeUsage } from '@agp/core/pricing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchOperation } from '../match-operation.ts';
import type { Operation, StreamReading } from '../operation.ts';

function operation(path: string): Operation {
  const found = matchOperation('openai', 'POST', path);
  if (!found) throw new Error(`no operation at ${path}`);
  return found;
}

const chat = operation('/v1/chat/completions');
const completions = operation('/v1/completions');
const responses = operation('/v1/responses');
const embeddings = operation('/v1/embeddings');

/** Pushes frames as they come off the wire. */
function stream(from: Operation, ...frames: (object | string)[]): StreamReading {
  const reader = from.createStreamReader();
  for (const frame of frames) {
    const data = typeof frame === 'string' ? frame : JSON.stringify(frame);
    reader.push('', Buffer.from(data).toString('latin1'));
  }
  return reader.end();
}

describe('requests', () => {
  test('chat completions: model, stream, bound and text', () => {
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
    expect(reading).toMatchObject({ requestedModel: 'gpt-4o-mini', stream: true, maxOutputTokens: 7 });
    expect(reading.inputText()).toBe('Be brief.\nWhat is this?\nlook\n{"at":"it"}\nlook\nLooks.');
  });

  test('the model of an Azure path, where the body names none', () => {
    const path = '/openai/deployments/my-gpt/chat/completions';
    expect(operation(path).readRequest({ messages: [] }, path).requestedModel).toBe('my-gpt');
  });

  test('responses and embeddings', () => {
    const response = responses.readRequest({ model: 'o3', instructions: 'a', input: 'b', max_output_tokens: 9 }, '/');
    expect(response).toMatchObject({ requestedModel: 'o3', stream: false, maxOutputTokens: 9 });
    expect(response.inputText()).toBe('a\nb');
    expect(embeddings.readRequest({ model: 'e', input: ['x', 'y'] }, '/').inputText()).toBe('x\ny');
  });

  test.each([[null], [1], ['text'], [[]], [{ model: 7, stream: 'true', max_tokens: -1 }]])(
    '%j says nothing',
    (body) => {
      const nothing = { requestedModel: null, stream: false, maxOutputTokens: null };
      expect(chat.readRequest(body, '/v1/chat/completions')).toMatchObject(nothing);
    },
  );

  test('nesting of any depth is walked', () => {
    const body = { messages: JSON.parse(`${'['.repeat(10_000)}"deep"${']'.repeat(10_000)}`) };
    expect(chat.readRequest(body, '/').inputText()).toBe('deep');
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
    expect(reading.outputText()).toBe('Hi\nf\n{}');
  });

  test('a legacy completion, embeddings', () => {
    const text = completions.readAnswer({
      choices: [{ text: 'a' }, { text: 'b' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    expect(text.usage).toEqual(makeUsage({ promptTokens: 1, completionTokens: 2 }));
    expect(text.outputText()).toBe('ab');
    const vectors = embeddings.readAnswer({ model: 'e', data: [], usage: { prompt_tokens: 8, total_tokens: 8 } });
    expect(vectors.usage).toEqual(makeUsage({ promptTokens: 8 }));
  });

  test('a response', () => {
    const reading = responses.readAnswer({
      model: 'o3-2025-04-16',
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'AAAA' },
        { type: 'message', content: [{ type: 'output_text', text: 'Yes.', annotations: [] }] },
        { type: 'function_call', name: 'f', arguments: '{}' },
      ],
      usage: {
        input_tokens: 75,
        input_tokens_details: { cached_tokens: 10 },
        output_tokens: 1186,
        output_tokens_details: { reasoning_tokens: 1024 },
        total_tokens: 1261,
      },
    });
    expect(reading.usage).toEqual(
      makeUsage({ promptTokens: 75, completionTokens: 1186, cacheReadTokens: 10, reasoningTokens: 1024 }),
    );
    expect(reading.outputText()).toBe('Hm.\nYes.\nf\n{}');
  });

  test.each([
    [undefined],
    [null],
    ['usage'],
    [{}],
    [{ prompt_tokens: -1, completion_tokens: 1 }],
    [{ prompt_tokens: '12', completion_tokens: 1 }],
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
    const reading = stream(
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
    expect(reading.outputText()).toBe('Grüßef\n{"a');
  });

  test('with usage in the last chunk that has choices, as some servers send it', () => {
    const reading = stream(chat, chunk({ content: 'a' }), chunk({}, { usage: chatUsage }), '[DONE]');
    expect(reading).toMatchObject({ usage: chatUsageRead, usageIsFinal: true });
  });

  test('with usage that counts along, cut', () => {
    const reading = stream(chat, chunk({ content: 'a' }, { usage: { prompt_tokens: 9, completion_tokens: 1 } }));
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(reading.usage?.promptTokens).toBe(9);
  });

  test('without usage, cut', () => {
    const reading = stream(
      chat,
      chunk({ content: 'one ' }),
      chunk({ content: '"usage":{"prompt_tokens":1}' }),
      '{"choi',
    );
    expect(reading).toMatchObject({ model: 'm-1', usage: null, usageIsFinal: false, sawEnd: false });
    expect(reading.outputText()).toBe('one "usage":{"prompt_tokens":1}');
  });

  test('with an error', () => {
    expect(stream(chat, chunk({ content: 'a' }), { error: { message: 'no' } }).failed).toBe(true);
  });

  test('of the legacy kind', () => {
    const reading = stream(completions, { choices: [{ text: 'a' }] }, { choices: [{ text: 'b' }] });
    expect(reading.outputText()).toBe('ab');
  });

  test('longer than what is held at once', () => {
    const reading = stream(chat, ...Array.from({ length: 5_000 }, (_, i) => chunk({ content: `${i} ` })));
    expect(reading.outputText()).toBe(Array.from({ length: 5_000 }, (_, i) => `${i} `).join(''));
  });
});

describe('streams of responses', () => {
  const delta = { type: 'response.output_text.delta', delta: 'Yes' };
  const usage = { input_tokens: 5, output_tokens: 7, output_tokens_details: { reasoning_tokens: 3 } };
  const created = { type: 'response.created', response: { model: 'o3', usage: null, error: null } };

  test.each(['completed', 'incomplete', 'failed'])('that end with response.%s', (last) => {
    const reading = stream(responses, created, delta, {
      type: `response.${last}`,
      response: { model: 'o3', output: [], usage, error: null },
    });
    expect(reading).toMatchObject({ model: 'o3', usageIsFinal: true, sawEnd: true, failed: last === 'failed' });
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 5, completionTokens: 7, reasoningTokens: 3 }));
  });

  test('that fail without figures', () => {
    const failed = { type: 'response.failed', response: { usage: null, error: { code: 'server_error' } } };
    expect(stream(responses, created, failed)).toMatchObject({ usage: null, sawEnd: true, failed: true });
    expect(stream(responses, created, { type: 'error', message: 'no', code: null })).toMatchObject({ failed: true });
  });

  test('that are cut, whose text is every kind of delta but sound', () => {
    const reading = stream(
      responses,
      created,
      delta,
      { type: 'response.function_call_arguments.delta', delta: '{}' },
      { type: 'response.audio.delta', delta: 'AAAA' },
    );
    expect(reading).toMatchObject({ model: 'o3', usage: null, sawEnd: false });
    expect(reading.outputText()).toBe('Yes{}');
  });
});

test('no frame makes a reader throw', () => {
  const json = fc.json();
  const hostile = fc
    .tuple(fc.constantFrom('"usage":{', '"error":{', '"response.completed"'), json)
    .map((parts) => parts.join(''));
  const frames = fc.array(fc.oneof(json, hostile, fc.string({ unit: 'binary' })));
  fc.assert(
    fc.property(fc.constantFrom(chat, completions, responses, embeddings), frames, (from, data) => {
      const reading = stream(from, ...data);
      expect(typeof reading.outputText()).toBe('string');
    }),
  );
});

test('no body makes the mappings throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(chat, completions, responses, embeddings), fc.jsonValue(), (from, body) => {
      from.readRequest(body, '/').inputText();
      from.readAnswer(body).outputText();
    }),
  );
});
