import type { EventTool } from '@agp/core/events';
import { expect, test } from 'vitest';
import { makeHead } from '../../test/open-metering.ts';
import { atOnce } from '../redaction/replace-places.ts';
import { changeInSteps } from './change-body.ts';
import { inspectBody } from './inspect-body.ts';

type Change = { most?: number; denied?: string[]; contentEncoding?: string; decoded?: Buffer };

/** The body that goes on, as text; null if it cannot be changed. */
function change(id: string, path: string, body: string, { most, denied, contentEncoding = '', decoded }: Change) {
  const head = makeHead(id, path);
  const form = { contentType: 'application/json', contentEncoding, decoded: decoded ?? null };
  const caps = { mustTell: false, mustBound: false, mustName: true };
  const inspected = inspectBody(head.operation as never, head, Buffer.from(body), form, caps);
  const isDenied = denied && (({ names }: EventTool) => names.some((name) => denied.includes(name)));
  const changed = atOnce(
    changeInSteps(head, inspected, { mostOutputTokens: most ?? null, isDenied: isDenied ?? null }),
  );
  return changed?.toString() ?? null;
}

const [chat, responses, messages] = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
const content = '/v1beta/models/g:generateContent';
const interactions = '/v1beta/interactions';
const converse = '/model/m/converse';

test.each([
  ['openai', chat, '{"model":"m"}', '{"model":"m","max_completion_tokens":9}'],
  ['groq', chat, '{"model":"m"}', '{"model":"m","max_tokens":9}'],
  ['groq', chat, '{"max_completion_tokens":99}', '{"max_completion_tokens":9}'],
  ['own', chat, '{"max_completion_tokens":1}', '{"max_completion_tokens":1,"max_tokens":9}'],
  ['openai', chat, '{"max_tokens":10,"max_completion_tokens":8}', '{"max_tokens":9,"max_completion_tokens":8}'],
  ['openai', chat, '{"max_tokens":null}', '{"max_tokens":9}'],
  ['openai', chat, '{"max_tokens":"900"}', '{"max_tokens":9}'],
  ['openai', chat, '{"max_tokens":1e3}', '{"max_tokens":9}'],
  ['openai', '/v1/completions', '{"max_tokens":99}', '{"max_tokens":9}'],
  ['openai', responses, '{"max_output_tokens":99}', '{"max_output_tokens":9}'],
  ['anthropic', messages, '{"max_tokens":99}', '{"max_tokens":9}'],
  ['gemini', content, '{"contents":[]}', '{"contents":[],"generationConfig":{"maxOutputTokens":9}}'],
  [
    'gemini',
    content,
    '{"generation_config":{"max_output_tokens":99,"seed":1}}',
    '{"generation_config":{"max_output_tokens":9,"seed":1}}',
  ],
  ['bedrock', converse, '{"messages":[]}', '{"messages":[],"inferenceConfig":{"maxTokens":9}}'],
  ['bedrock', converse, '{"inferenceConfig":{"maxTokens":99}}', '{"inferenceConfig":{"maxTokens":9}}'],
  ['bedrock', converse, '{"inferenceConfig":{"maxTokens":5,"topP":1}}', '{"inferenceConfig":{"maxTokens":5,"topP":1}}'],
  ['bedrock', '/model/anthropic.m/invoke', '{"max_tokens":99}', '{"max_tokens":9}'],
  ['gemini', interactions, '{"model":"m"}', '{"model":"m","generation_config":{"max_output_tokens":9}}'],
  ['openai', chat, '{"model":"m","model":"n","max_tokens":99}', '{"model":"n","max_tokens":9}'],
  // All else stays as it is written, but for spaces.
  [
    'openai',
    chat,
    '{"seed":12345678901234567890, "temperature":0.10,"x":-0,"y":1e400,"__proto__":{"z":1},"max_tokens":9.0}',
    '{"seed":12345678901234567890,"temperature":0.10,"x":-0,"y":1e400,"__proto__":{"z":1},"max_tokens":9.0}',
  ],
])('to %s at %s %s goes on as %s', (id, path, body, expected) => {
  expect(change(id, path, body, { most: 9 })).toBe(expected);
});

const fn = (name: string) => `{"type":"function","function":{"name":"${name}","parameters":{"maximum":1.50}}}`;

test.each([
  [
    'openai',
    chat,
    `{"tools":[${fn('a')},${fn('b')}],"tool_choice":"auto"}`,
    `{"tools":[${fn('b')}],"tool_choice":"auto"}`,
  ],
  [
    'openai',
    chat,
    `{"tools":[${fn('a')},${fn('b')}],"tool_choice":{"type":"function","function":{"name":"a"}}}`,
    `{"tools":[${fn('b')}]}`,
  ],
  ['openai', chat, `{"tools":[${fn('a')}],"tool_choice":"required"}`, '{}'],
  ['openai', chat, '{"functions":[{"name":"a"}],"function_call":{"name":"a"}}', '{}'],
  ['openai', chat, '{"web_search_options":{},"n":1}', '{"n":1}'],
  [
    'openai',
    responses,
    '{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]}]}',
    '{"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"b"}]}]}',
  ],
  [
    'anthropic',
    messages,
    '{"mcp_servers":[{"name":"s","url":"https://m.example"}],"tools":[{"type":"mcp_toolset","mcp_server_name":"s"},{"name":"b"}]}',
    '{"tools":[{"name":"b"}]}',
  ],
  [
    'gemini',
    content,
    '{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}],"googleSearch":{}}]}',
    '{"tools":[{"functionDeclarations":[{"name":"b"}]}]}',
  ],
  [
    'gemini',
    content,
    '{"tools":[{"functionDeclarations":[{"name":"a"}]}],"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["a"]}}}',
    '{}',
  ],
  [
    'gemini',
    interactions,
    '{"tools":[{"type":"function","name":"a"},{"type":"url_context"}]}',
    '{"tools":[{"type":"url_context"}]}',
  ],
])('without denied tools, to %s at %s %s goes on as %s', (id, path, body, expected) => {
  expect(change(id, path, body, { denied: ['a', 'web_search', 'google_search', 'm.example'] })).toBe(expected);
});

test('what cannot be changed so that it is sure is not changed', () => {
  const body = '{"model":"m","max_tokens":99}';
  expect(change('openai', chat, body, { most: 9, contentEncoding: 'gzip', decoded: Buffer.from(body) })).toBe(null);
  expect(change('openai', chat, body, { most: 9, contentEncoding: 'lzma' })).toBe(null);
  expect(change('openai', chat, `\ufeff${body}`, { most: 9 })).toBe(null);
  expect(change('openai', chat, '[]', { most: 9 })).toBe(null);
  expect(change('openai', chat, '', { most: 9 })).toBe(null);
  expect(change('openai', '/v1/embeddings', body, { most: 9 })).toBe(null);
  expect(change('anthropic', '/v1/messages/batches', '{"requests":[]}', { most: 9 })).toBe(null);
  expect(change('gemini', '/v1beta/models/g:batchGenerateContent', '{}', { denied: ['a'] })).toBe(null);
});

test('a tool that cannot be read stays if only the output is bounded', () => {
  expect(change('openai', chat, '{"tools":[{"type":"mcp"}],"max_tokens":99}', { most: 9 })).toBe(
    '{"tools":[{"type":"mcp"}],"max_tokens":9}',
  );
});

const list = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, at) => make(at));

test.each<[string, string, (count: number) => object]>([
  [
    'servers that toolsets refer to',
    messages,
    (count) => ({
      mcp_servers: list(count, (at) => ({ name: `s${at}`, url: `https://s${at}.example` })),
      tools: [{ name: 'a' }, ...list(count, (at) => ({ type: 'mcp_toolset', mcp_server_name: `s${at}` }))],
    }),
  ],
  [
    'members beside tools in a namespace',
    responses,
    (count) => ({
      tools: [
        {
          ...Object.fromEntries(list(count, (at) => [`m${at}`, 'x'])),
          ...{ type: 'namespace', name: 'n' },
          tools: list(count, (at) => ({ type: 'function', name: at === 0 ? 'a' : `t${at}` })),
        },
      ],
    }),
  ],
])('of %s no more is read for twice as many than twice as much', (_, path, make) => {
  const read = (count: number) => {
    const head = makeHead(path === messages ? 'anthropic' : 'openai', path);
    const { operation } = head;
    const form = { contentType: '', contentEncoding: '', decoded: null };
    const caps = { mustTell: false, mustBound: false, mustName: true };
    const inspected = inspectBody(operation as never, head, Buffer.from(JSON.stringify(make(count))), form, caps);
    let length = 0;
    const readTools = (body: object) => {
      length += JSON.stringify(body).length;
      return operation?.readTools?.(body as never) ?? [];
    };
    const counted = { ...head, operation: { ...operation, readTools } as never };
    const changed = atOnce(
      changeInSteps(counted, inspected, {
        mostOutputTokens: null,
        isDenied: ({ names }) => names.includes('a'),
      }),
    );
    expect(changed?.toString()).not.toContain('"name":"a"');
    return length;
  };
  expect(read(400)).toBeLessThan(2.2 * read(200));
});

const spec = (name: string) => `{"toolSpec":{"name":"${name}","inputSchema":{"json":{"maximum":1.50}}}}`;
const config = (...members: string[]) => `{"messages":[],"toolConfig":{${members.join()}}}`;

test.each([
  [config(`"tools":[${spec('bad')},${spec('ok')}]`), config(`"tools":[${spec('ok')}]`)],
  [
    config(`"tools":[${spec('ok')},${spec('bad')},{"cachePoint":{"type":"default"}}]`, '"toolChoice":{"auto":{}}'),
    config(`"tools":[${spec('ok')},{"cachePoint":{"type":"default"}}]`, '"toolChoice":{"auto":{}}'),
  ],
  [
    config(`"tools":[${spec('bad')},${spec('ok')}]`, '"toolChoice":{"tool":{"name":"bad"}}'),
    config(`"tools":[${spec('ok')}]`),
  ],
  [config(`"tools":[${spec('bad')},{"cachePoint":{"type":"default"}}]`, '"toolChoice":{"any":{}}'), '{"messages":[]}'],
  [config(`"tools":[{"systemTool":{"name":"bad"}}]`), '{"messages":[]}'],
])('of Converse %s goes on as %s, without a tool that is denied', (body, expected) => {
  expect(change('bedrock', converse, body, { denied: ['bad'] })).toBe(expected);
});
