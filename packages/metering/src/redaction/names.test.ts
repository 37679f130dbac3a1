import { expect, test } from 'vitest';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { atOnce, replaceInSteps } from './replace-places.ts';
import { searchBytes } from './search-bytes.ts';

const patterns = [{ kind: 'word', pattern: 'zebra[0-9]*', longest: 16 }];
const config = { kinds: ['word', 'credit_card'], patterns, findsLabels: false };

function change(body: unknown, from: 'request' | 'answer' = 'request'): string {
  const bytes = Buffer.from(JSON.stringify(body));
  const { places } = searchBytes({ bytes, contentType: '', from, mayBeText: false, config });
  return atOnce(replaceInSteps(bytes, places, (kind) => `[${kind}]`)).toString();
}
const schema = { properties: { zebra7: { $ref: '#/$defs/zebra7' } }, required: ['zebra7'], $defs: { zebra7: {} } };

test.each<[string, unknown]>([
  ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'zebra7', description: 'd' } }] }],
  [
    'a call of it',
    { messages: [{ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'zebra7', input: 'x' } }] }] },
  ],
  ['a function that answers', { messages: [{ role: 'function', name: 'zebra7', content: 'x' }] }],
  ['a schema', { response_format: { type: 'json_schema', json_schema: { name: 'zebra7', schema } } }],
  ['a format', { text: { format: { type: 'json_schema', name: 'zebra7', schema } } }],
  ['dependent parameters', { tools: [{ parameters: { ...schema, dependentRequired: { zebra7: ['zebra8'] } } }] }],
  [
    'tools of a server',
    {
      tools: [
        {
          type: 'mcp',
          server_label: 'zebra7',
          allowed_tools: ['zebra7'],
          require_approval: { never: { tool_names: ['zebra7'] } },
        },
        { type: 'namespace', name: 'zebra7', tools: [{ type: 'function', name: 'zebra7' }] },
      ],
    },
  ],
  [
    'items of calls',
    {
      input: [
        { type: 'mcp_approval_request', id: 'zebra7', name: 'zebra7', server_label: 'zebra7', arguments: '{}' },
        { type: 'function_call', name: 'zebra7', namespace: 'zebra7', arguments: '{}' },
      ],
    },
  ],
  [
    'servers of Anthropic',
    {
      mcp_servers: [{ type: 'url', name: 'zebra7', tool_configuration: { allowed_tools: ['zebra7'] } }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'zebra7', configs: { zebra7: { enabled: true } } }],
      messages: [{ content: [{ type: 'mcp_tool_use', name: 'zebra7', server_name: 'zebra7', input: {} }] }],
    },
  ],
  ['a tool that was looked for', { messages: [{ content: [{ type: 'tool_reference', tool_name: 'zebra7' }] }] }],
  [
    'functions of Gemini',
    {
      tools: [{ function_declarations: [{ name: 'zebra7', parameters: { ...schema, propertyOrdering: ['zebra7'] } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['zebra7'] } },
    },
  ],
])('the names of %s stay', (_name, body) => {
  expect(change(body)).toBe(JSON.stringify(body));
  expect(change(body, 'answer')).toBe(JSON.stringify(body));
});

test('a name beside a text stays, and the text does not', () => {
  const write = (text: string) => ({
    messages: [{ role: 'user', name: text, content: text }],
    tools: [{ title: text }],
  });
  expect(change(write('zebra'))).toBe(JSON.stringify(write('[word]')));
});

test('the name of a call stays where its arguments end', () => {
  const frame = { type: 'response.function_call_arguments.done', item_id: 'i', name: 'zebra7', arguments: '{}' };
  expect(passFrames(openRedactor(config.kinds, config), [frame]).passed).toEqual([frame]);
});

const args = { zebra: 1, n: { zebra: 2.5, zebra_count: [1, 2] }, card: 4111111111111111, of: 'a zebra' };
const kept = { ...args, card: '[credit_card]', of: 'a [word]' };

test('a parameter keeps its name, and its number unless that is a finding', () => {
  const write = (input: object) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: JSON.stringify(input) } }] },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'f', input }] },
    ],
  });
  expect(change(write(args))).toBe(JSON.stringify(write(kept)));
});

test.each([1, 3, 100])('so it is in a stream of %d characters a frame', (length) => {
  const pieces = JSON.stringify(args).match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
  const frame = (piece: string) => ({ type: 'content_block_delta', index: 0, delta: { partial_json: piece } });
  const { passed } = passFrames(openRedactor(config.kinds, config), pieces.map(frame));
  expect(JSON.parse(passed.map((each) => (each as ReturnType<typeof frame>).delta.partial_json).join(''))).toEqual(
    kept,
  );
});
