import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const generations = findOperation('/v1/images/generations');
const edits = findOperation('/v1/images/edits');
const variations = findOperation('/v1/images/variations');

const usage = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 1056,
  total_tokens: 1106,
};
const usageRead = makeUsage({
  promptTokens: 50,
  inputImageTokens: 40,
  completionTokens: 1056,
  outputImageTokens: 1056,
});

describe('requests', () => {
  test('as JSON and as the text fields of a form', () => {
    const json = generations.readRequest({ model: 'gpt-image-2', prompt: 'A cat.', n: 2, stream: true }, '/');
    expect(json).toMatchObject({ requestedModel: 'gpt-image-2', stream: true, toldUsage: { outputImages: 2 } });
    expect(json.inputText().parts).toEqual(['A cat.']);
    const form = edits.readRequest({ model: 'dall-e-2', prompt: 'A cat.', n: '3', stream: 'true' }, '/');
    expect(form).toMatchObject({ requestedModel: 'dall-e-2', stream: true, toldUsage: { outputImages: 3 } });
  });

  test.each([
    [{}, 1],
    [{ n: null }, 1],
    [{ n: 'many' }, 0],
    [{ n: -1 }, 0],
  ])('%j asks for %i', (body, outputImages) => {
    expect(makeUsage(variations.readRequest(body, '/').toldUsage).outputImages).toBe(outputImages);
  });
});

describe('answers', () => {
  test('of a GPT image model', () => {
    const reading = generations.readAnswer({
      created: 1,
      data: [{ b64_json: 'AAAA', revised_prompt: 'A cat.' }],
      usage,
    });
    expect(reading.usage).toEqual(usageRead);
    expect(reading.outputText()).toEqual({ parts: ['A cat.'], whole: true });
  });

  test('whose output is text for a part', () => {
    const details = { output_tokens_details: { image_tokens: 1000, text_tokens: 56 } };
    expect(generations.readAnswer({ usage: { ...usage, ...details } }).usage).toEqual(
      makeUsage({ ...usageRead, outputImageTokens: 1000 }),
    );
  });

  test('of DALL-E report no usage', () => {
    expect(generations.readAnswer({ created: 1, data: [{ url: 'https://images.test/1' }] }).usage).toBeNull();
  });

  test('with an SVG, whose author is another model', () => {
    const svg = { model: 'gpt-5', input_tokens: 7, output_tokens: 9, reasoning_tokens: 2, total_tokens: 16 };
    const svgRead = makeUsage({ promptTokens: 7, completionTokens: 9, reasoningTokens: 2 });
    expect(generations.readAnswer({ usage, svg_usage: svg })).toMatchObject({
      usage: makeUsage({ ...usageRead, promptTokens: 57, completionTokens: 1065, reasoningTokens: 2 }),
      calls: [
        { model: null, usage: usageRead },
        { model: 'gpt-5', usage: svgRead },
      ],
    });
  });
});

describe('streams', () => {
  const partial = (type: string) => ({
    type: `${type}.partial_image`,
    b64_json: 'A'.repeat(100_000),
    partial_image_index: 0,
  });
  const completed = (type: string) => ({ type: `${type}.completed`, b64_json: 'A'.repeat(100_000), usage });

  const table: [string, Frame[], object][] = [
    ['no image yet', [partial('image_generation')], { usage: null, sawEnd: false }],
    [
      'one image',
      [partial('image_generation'), completed('image_generation')],
      { usage: usageRead, usageIsFinal: true, sawEnd: true },
    ],
    [
      'two images',
      [completed('image_generation'), completed('image_generation')],
      {
        usage: makeUsage({ promptTokens: 100, inputImageTokens: 80, completionTokens: 2112, outputImageTokens: 2112 }),
        sawEnd: true,
      },
    ],
    [
      'an image, and one with an SVG, whose author is another model',
      [
        completed('image_generation'),
        { ...completed('image_generation'), svg_usage: { model: 'gpt-5', input_tokens: 7, output_tokens: 9 } },
      ],
      {
        usage: makeUsage({ promptTokens: 107, inputImageTokens: 80, completionTokens: 2121, outputImageTokens: 2112 }),
        calls: [
          { model: null, usage: usageRead },
          { model: null, usage: usageRead },
          { model: 'gpt-5', usage: makeUsage({ promptTokens: 7, completionTokens: 9 }) },
        ],
      },
    ],
    [
      "the type in the event's name alone",
      [{ event: 'image_generation.completed', data: { b64_json: 'A', usage } }],
      { usage: usageRead, sawEnd: true },
    ],
    [
      'an error',
      [partial('image_generation'), { type: 'error', error: { message: 'no' } }],
      { usage: null, failed: true },
    ],
    ["an error by the event's name", [{ event: 'error', data: { message: 'no' } }], { failed: true }],
  ];

  test.each(table)('with %s', (_, frames, expected) => {
    const reading = readStream(generations, ...frames);
    expect(reading).toMatchObject({ failed: false, ...expected });
    expect(reading.outputText()).toEqual({ parts: [], whole: true });
  });

  test('of edits', () => {
    const reading = readStream(edits, partial('image_edit'), completed('image_edit'));
    expect(reading).toMatchObject({ usage: usageRead, usageIsFinal: true, sawEnd: true });
  });
});
