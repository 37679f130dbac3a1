import { expect, test } from 'vitest';
import { readNames } from '../../test/read-names.ts';

const [chat, responses, messages] = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
const content = '/v1beta/models/gemini-2.5-pro:generateContent';
const interactions = '/v1beta/interactions';
const mcp = (server_url: string) => ({ tools: [{ type: 'mcp', server_label: 'x', server_url }] });
const added = (tool: object) => ({ model: 'm', messages: [{ content: [{ type: 'tool_addition', tool }] }] });

test.each<[string, string, unknown, string[] | null]>([
  [
    'openai',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }], functions: [{ name: 'g' }] },
    ['client f', 'client g'],
  ],
  ['openai', chat, { tools: [{ type: 'custom', custom: { name: 'f' } }, { name: 'g' }] }, ['client f', 'client g']],
  ['openai', chat, { tools: [{ type: 'function', function: { name: 'f' }, name: 'g' }] }, null],
  ['openai', chat, { tools: [{ Type: 'mcp', Server_URL: 'https://evil.example', name: 'f' }] }, null],
  ['openai', chat, '{"Tools":[{"type":"mcp"}]}', null],
  // Patterns take time with a name's length.
  ['openai', chat, { tools: [{ type: 'function', function: { name: 'f'.repeat(257) } }] }, null],
  ['openai', chat, { tools: { 0: { type: 'mcp' } } }, null],
  ['openai', chat, { web_search_options: {} }, ['hosted web_search']],
  ['openrouter', chat, { model: 'a:online' }, ['hosted web_search']],
  [
    'openrouter',
    chat,
    { plugins: [{ id: 'web' }], tools: [{ type: 'openrouter:datetime' }] },
    ['hosted openrouter:datetime', 'hosted web'],
  ],
  ['openrouter', '/v1/completions', { plugins: [{ id: 'web' }] }, ['hosted web']],
  ['openai', '/v1/embeddings', { tools: [] }, null],
  ['xai', chat, { search_parameters: { mode: 'on' } }, ['hosted web_search']],
  [
    'azure',
    '/openai/deployments/d/chat/completions',
    { data_sources: [{ type: 'azure_search' }] },
    ['hosted azure_search'],
  ],
  ['groq', chat, { compound_custom: { tools: { enabled_tools: ['visit_website'] } } }, ['hosted visit_website']],
  [
    'cohere',
    '/v1/chat',
    { tools: [{ name: 'f' }], connectors: [{ id: 'web-search' }] },
    ['client f', 'connector web-search'],
  ],
  [
    'openai',
    responses,
    { tools: [{ type: 'web_search_preview_2025_03_11' }] },
    ['hosted web_search,web_search_preview_2025_03_11'],
  ],
  ['openai', responses, { tools: [{ type: 'Web_Search' }] }, null],
  ['openai', responses, { tools: [{ type: 'new_thing' }, { type: 'shell' }] }, ['hosted new_thing', 'client shell']],
  ['openai', responses, { tools: [{ type: 'shell', environment: { type: 'local' } }] }, ['client shell']],
  ['openai', responses, { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, ['hosted shell']],
  [
    'openai',
    responses,
    { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] }] },
    ['client n.f,f'],
  ],
  [
    'openai',
    responses,
    { input: [{ type: 'tool_search_output', tools: [{ type: 'custom', name: 'f' }] }] },
    ['client f'],
  ],
  ['openai', responses, { input: [{ type: 'item_reference', id: 'msg_1' }] }, []],
  ...['at_1', null].map((id): [string, string, unknown, null] => [
    'openai',
    responses,
    { input: [{ type: 'item_reference', id }] },
    null,
  ]),
  ...[{ prompt: { id: 'p' } }, { previous_response_id: 'r' }, { conversation: 'c' }].map(
    (stored): [string, string, unknown, null] => ['openai', responses, stored, null],
  ),
  ['openai', responses, { tools: [{ type: 'mcp', connector_id: 'c', tunnel_id: 't' }] }, ['connector c', 'tunnel t']],
  ['openai', responses, { tools: [{ type: 'mcp', server_label: 'x' }] }, null],
  ['openai', responses, mcp('https://MCP.example.com.:8443/x?y'), ['remote_mcp mcp.example.com']],
  ['openai', responses, mcp('https://user:pw@mcp.example.com/'), ['remote_mcp mcp.example.com']],
  ['openai', responses, mcp('https://mcp.example.com@evil.example/'), ['remote_mcp evil.example']],
  ['openai', responses, mcp('https://xn--bcher-kva.example/'), ['remote_mcp xn--bcher-kva.example']],
  ['openai', responses, mcp('https://[::1]:1/'), ['remote_mcp [::1]']],
  ...[
    ...['https://mcp.example.com\\@evil.example/', 'https://evil.example\\.mcp.example.com', 'https:mcp.example.com'],
    ...[
      'https://a@b@mcp.example.com',
      'https://mcp%2eexample.com',
      'https://ｍcp.example.com',
      'https://mcp.exa\nmple.com',
    ],
    ...['https://bücher.example/', 'http://0x7f.1/', 'https://[0:0::1]/', 'mcp.example.com', ''],
  ].map((url): [string, string, unknown, null] => ['openai', responses, mcp(url), null]),
  ['anthropic', messages, { tools: [{ name: 'f' }, { type: 'custom', name: 'g' }] }, ['client f', 'client g']],
  [
    'anthropic',
    messages,
    { tools: [{ type: 'web_search_20260318', name: 'web_search' }] },
    ['hosted web_search,web_search_20260318'],
  ],
  [
    'anthropic',
    messages,
    { tools: [{ type: 'code_execution_20260521', name: 'ok' }] },
    ['hosted code_execution,code_execution_20260521'],
  ],
  ['anthropic', messages, { tools: [{ type: 'bash_20250124', name: 'ok' }] }, ['client bash,bash_20250124']],
  [
    'anthropic',
    messages,
    {
      tools: [
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'computer_toolset_20260801' },
      ],
    },
    [
      'client str_replace_based_edit_tool,text_editor,text_editor_20250728',
      'client computer,computer_toolset,computer_toolset_20260801',
    ],
  ],
  [
    'anthropic',
    messages,
    { mcp_servers: [{ name: 's', url: 'https://m.example/' }], tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] },
    ['remote_mcp m.example'],
  ],
  ['anthropic', messages, { tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] }, null],
  ['anthropic', messages, '{"mcp_servers":[],"MCP_servers":[{"url":"https://evil.example"}]}', null],
  ['anthropic', messages, { thread: { type: 'continue', previous_message_id: 'm' } }, null],
  ['anthropic', messages, { thread: { type: 'create' } }, []],
  ['anthropic', messages, added({ type: 'tool_definition', definition: { name: 'f' } }), ['client f']],
  ['anthropic', messages, added({ name: 'f' }), ['client f']],
  ['anthropic', messages, added({ type: 'tool_reference', name: 'f' }), []],
  [
    'anthropic',
    messages,
    {
      messages: [{ content: [{ type: 'compaction', tool_changes: [{ type: 'tool_addition', tool: { name: 'f' } }] }] }],
    },
    ['client f'],
  ],
  ['anthropic', '/v1/messages/batches', { requests: [{ params: { tools: [{ name: 'f' }] } }] }, ['client f']],
  [
    'gemini',
    content,
    { tools: [{ functionDeclarations: [{ name: 'f' }], google_search: {} }] },
    ['client f', 'hosted google_search'],
  ],
  [
    'gemini',
    content,
    { tools: [{ function_declarations: [{ name: 'f' }], urlContext: {} }] },
    ['client f', 'hosted url_context,urlContext'],
  ],
  [
    'gemini',
    content,
    { tools: [{ mcpServers: [{ streamableHttpTransport: { url: 'https://m.example' } }] }] },
    ['remote_mcp m.example'],
  ],
  [
    'gemini',
    content,
    { tools: [{ type: 'function', name: 'f', googleSearch: {} }] },
    ['hosted type', 'hosted name', 'hosted google_search,googleSearch'],
  ],
  ['gemini', content, { cachedContent: 'cachedContents/1' }, null],
  ['gemini', content, { cachedContent: '', cached_content: 'cachedContents/1' }, null],
  [
    'gemini',
    '/v1beta/cachedContents',
    { model: 'models/g', tools: [{ codeExecution: {} }] },
    ['hosted code_execution,codeExecution'],
  ],
  [
    'gemini',
    '/v1beta/models/g:countTokens',
    { generate_content_request: { tools: [{ googleMaps: {} }] } },
    ['hosted google_maps,googleMaps'],
  ],
  [
    'gemini',
    interactions,
    { tools: [{ type: 'mcp_server', url: 'https://m.example' }, { type: 'google_search' }] },
    ['remote_mcp m.example', 'hosted google_search'],
  ],
  [
    'gemini',
    interactions,
    { tools: [{ type: 'function', name: 'f' }, { type: 'computer_use' }] },
    ['client f', 'client computer_use'],
  ],
  ['gemini', interactions, { agent: 'deep-research' }, null],
])('%s %s %j offers %j', (id, path, body, expected) => {
  expect(readNames(id, path, body).tools).toEqual(expected);
});

test('tools nested without end, or too many, are not read', () => {
  const nest = (depth: number): object =>
    depth === 0 ? { type: 'function', name: 'f' } : { type: 'namespace', name: 'n', tools: [nest(depth - 1)] };
  expect(readNames('openai', responses, { tools: [nest(4)] }).tools).toEqual(['client n.n.n.n.f,f']);
  expect(readNames('openai', responses, { tools: [nest(100)] }).tools).toBe(null);
  expect(readNames('openai', chat, { tools: Array.from({ length: 5_001 }, () => ({ name: 'f' })) }).tools).toBe(null);
});
