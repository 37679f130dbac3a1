import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const responses = findOperation('/v1/responses');
const compact = findOperation('/v1/responses/compact');
const countInput = findOperation('/v1/responses/input_tokens');

const usage = {
  input_tokens: 75,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 20 },
  output_tokens: 1186,
  output_tokens_details: { reasoning_tokens: 1024 },
  total_tokens: 1261,
};
const usageRead = makeUsage({
  promptTokens: 75,
  completionTokens: 1186,
  cacheReadTokens: 10,
  cacheWriteTokens: 20,
  reasoningTokens: 1024,
});

describe('requests', () => {
  test('what the model reads, with the variables of a stored prompt', () => {
    const reading = responses.readRequest(
      {
        instructions: 'Be brief.',
        prompt: { id: 'pmpt_1', variables: { city: 'Bern' } },
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
          { type: 'function_call_output', call_id: 'c', output: '{"a":1}' },
        ],
      },
      '/v1/responses',
    );
    expect(reading.inputText().parts).toEqual(['Be brief.', 'Bern', 'Hi', '{"a":1}']);
  });

  test('counting input is free, compacting it is not', () => {
    expect(countInput.isFree).toBe(true);
    expect(countInput.readRequest({ model: 'o3', input: 'Hi' }, '/').inputText().parts).toEqual(['Hi']);
    expect(compact.isFree).toBe(false);
    expect(compact.readAnswer({ object: 'response.compaction', output: [], usage }).usage).toEqual(usageRead);
  });
});

/** Items of a response's output, and the text in them. */
const items: [string, object, string[]][] = [
  [
    'reasoning',
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'AAAA' },
    ['Hm.'],
  ],
  [
    'a message',
    {
      type: 'message',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'Yes.',
          annotations: [{ type: 'url_citation', title: 'A page' }],
          logprobs: [{ token: 'Y' }],
        },
      ],
    },
    ['Yes.'],
  ],
  ['a refusal', { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }, ['No.']],
  ['a function call', { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}' }, ['f', '{}']],
  ['a custom tool', { type: 'custom_tool_call', name: 'sh', input: 'ls' }, ['sh', 'ls']],
  [
    'a web search',
    {
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'cats', sources: [{ type: 'url', url: 'https://cats.test' }] },
    },
    ['cats'],
  ],
  [
    'a file search',
    {
      type: 'file_search_call',
      queries: ['cats'],
      results: [{ file_id: 'f', filename: 'cats.txt', score: 1, text: 'Meow.' }],
    },
    ['cats', 'cats.txt', 'Meow.'],
  ],
  [
    'a code interpreter',
    { type: 'code_interpreter_call', code: 'print(1)', outputs: [{ type: 'logs', logs: '1' }] },
    ['1', 'print(1)'],
  ],
  [
    'an MCP call',
    { type: 'mcp_call', server_label: 'x', name: 'get', arguments: '{"a":1}', output: 'found', error: null },
    ['get', 'found', '{"a":1}'],
  ],
  ['a shell', { type: 'shell_call', action: { commands: ['ls -l'], timeout_ms: 1 } }, ['ls -l']],
  ['an image', { type: 'image_generation_call', result: 'AAAA', revised_prompt: 'A cat.' }, ['A cat.']],
];

describe('texts', () => {
  test.each(items)('of %s, whole and streamed', (_, item, parts) => {
    const whole = { parts, whole: true };
    expect(responses.readAnswer({ output: [item] }).outputText()).toEqual(whole);
    const done = { type: 'response.output_item.done', output_index: 0, item };
    expect(readStream(responses, done).outputText()).toEqual(whole);
    const completed = { type: 'response.completed', response: { output: [item] } };
    expect(readStream(responses, completed).outputText()).toEqual(whole);
    expect(readStream(responses, done, completed).outputText()).toEqual(whole);
  });

  test('of deltas are not read twice, and what tools were called and answered comes with the item', () => {
    const at = { item_id: 'i', output_index: 1 };
    const reading = readStream(
      responses,
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Ye' },
      { type: 'response.mcp_call_arguments.delta', ...at, delta: '{"a"' },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 's' },
      { type: 'response.mcp_call_arguments.delta', ...at, delta: ':1}' },
      { type: 'response.audio.delta', delta: 'AAAA' },
      { type: 'response.shell_call_output_content.delta', output_index: 2, delta: { stdout: 'out', stderr: 'err' } },
      { type: 'response.output_item.done', output_index: 0, item: items[1]?.[1] ?? {} },
      { type: 'response.output_item.done', output_index: 1, item: items[8]?.[1] ?? {} },
    );
    expect(reading.outputText().parts).toEqual(['Yes', '{"a":1}', 'out', 'err', 'get', 'found']);
  });
});

const search = (type?: string, status = 'completed') => ({
  type: 'web_search_call',
  status,
  action: { type, query: 'q' },
});

describe('charges in addition to tokens', () => {
  test.each([
    ['no search', { output: [{ type: 'message' }] }, 0],
    ['searches, by their items', { output: [search('search'), search(), search('search')] }, 3],
    ['pages that were opened', { output: [search('search'), search('open_page'), search('find_in_page')] }, 1],
    ['a search that failed', { output: [search('search', 'failed')] }, 0],
    ["the provider's own count", { output: [search('search')], tool_usage: { web_search: { num_requests: 4 } } }, 4],
    ['none of it, by that count', { output: [search('search')], tool_usage: { web_search: { num_requests: 0 } } }, 0],
  ])('%s', (_, rest, webSearches) => {
    const expected = makeUsage({ ...usageRead, webSearches });
    expect(responses.readAnswer({ usage, ...rest })).toMatchObject({ usage: expected });
    const last = { type: 'response.completed', response: { model: 'o3', usage, ...rest } };
    expect(readStream(responses, last).usage).toEqual(expected);
  });

  test('images that a tool made, by the model that made them', () => {
    const image = {
      input_tokens: 30,
      input_tokens_details: { image_tokens: 10, text_tokens: 20 },
      output_tokens: 1056,
    };
    const imageRead = makeUsage({
      promptTokens: 30,
      inputImageTokens: 10,
      completionTokens: 1056,
      outputImageTokens: 1056,
    });
    const svg = { model: 'gpt-5', input_tokens: 7, output_tokens: 9, reasoning_tokens: 2, total_tokens: 16 };
    const svgRead = makeUsage({ promptTokens: 7, completionTokens: 9, reasoningTokens: 2 });
    const response = {
      model: 'o3',
      usage,
      tools: [{ type: 'image_generation', model: 'gpt-image-1.5' }],
      tool_usage: { image_gen: image, web_search: { num_requests: 0 } },
      output: [{ type: 'image_generation_call', svg_usage: svg }],
    };
    const expected = {
      usage: makeUsage({
        ...usageRead,
        promptTokens: 75 + 30 + 7,
        completionTokens: 1186 + 1056 + 9,
        reasoningTokens: 1024 + 2,
        inputImageTokens: 10,
        outputImageTokens: 1056,
      }),
      calls: [
        { model: 'o3', usage: usageRead },
        { model: 'gpt-image-1.5', usage: imageRead },
        { model: 'gpt-5', usage: svgRead },
      ],
    };
    expect(responses.readAnswer(response)).toMatchObject(expected);
    expect(readStream(responses, { type: 'response.completed', response })).toMatchObject(expected);
    const unnamed = responses.readAnswer({ ...response, tools: [{ type: 'image_generation' }], output: [] });
    expect(unnamed.calls?.[1]?.model).toBe('gpt-image-2');
  });

  test('an image tool that was not used has counts of zero', () => {
    const unused = { image_gen: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } };
    const reading = responses.readAnswer({ usage, tool_usage: unused });
    expect(reading.usage).toEqual(usageRead);
    expect(reading.calls).toBeUndefined();
  });
});

describe('streams', () => {
  const delta = { type: 'response.output_text.delta', delta: 'Yes' };
  const created = { type: 'response.created', response: { model: 'o3', usage: null, error: null } };
  const end = (last: string, rest: object = {}) => ({
    type: `response.${last}`,
    response: { model: 'o3', error: null, ...rest },
  });

  test.each(['completed', 'incomplete', 'failed'])('that end with response.%s', (last) => {
    const reading = readStream(responses, created, delta, end(last, { usage, service_tier: 'priority' }));
    expect(reading).toMatchObject({
      model: 'o3',
      usage: usageRead,
      serviceTier: 'priority',
      usageIsFinal: true,
      sawEnd: true,
      failed: last === 'failed',
    });
    expect(reading.outputText().parts).toEqual(['Yes']);
  });

  const failures: [string, Frame[], object][] = [
    ['response.failed without figures', [end('failed', { usage: null })], { sawEnd: true }],
    ['an error event', [{ type: 'error', message: 'no', code: null }], { sawEnd: false }],
    ["an error by the event's name", [{ event: 'error', data: { message: 'no' } }], { sawEnd: false }],
    ['an error in the form of the other APIs', [{ error: { message: 'no' } }], { sawEnd: false }],
  ];

  test.each(failures)('that fail: %s', (_, frames, expected) => {
    const reading = readStream(responses, created, delta, ...frames);
    expect(reading).toMatchObject({ model: 'o3', usage: null, usageIsFinal: false, failed: true, ...expected });
  });

  test('that are cut', () => {
    const reading = readStream(responses, created, delta, '{"type":"response.comple');
    expect(reading).toMatchObject({ model: 'o3', usage: null, sawEnd: false, failed: false });
    expect(reading.outputText()).toEqual({ parts: ['Yes'], whole: true });
  });
});
