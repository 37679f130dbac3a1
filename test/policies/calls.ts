import type { OperationRow } from '@agp/testing/corpus';

/** Where calls name a model or a tool. */
export type Tools = NonNullable<OperationRow['tools']>;

/** What is denied or allowed, of each kind. */
export interface Names {
  model: string;
  tool: string;
  hosted: string;
  host: string;
  id: string;
}

/** A member that names something, or null: whatever it names, it cannot be read. */
type Place = (names: Names) => object;

const functionOf = ({ tool }: Names) => ({ type: 'function', function: { name: tool } });
const listed = (type: string, names: Names) => ({ type, tools: [{ type: 'function', name: names.tool }] });

/** Further members of a call in which it may name something. */
export const places: Record<Tools, Record<string, Place>> = {
  openai: {
    function: (names) => ({ tools: [functionOf(names)] }),
    custom: ({ tool }) => ({ tools: [{ type: 'custom', custom: { name: tool } }] }),
    functions: ({ tool }) => ({ functions: [{ name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    plugin: ({ hosted }) => ({ plugins: [{ id: hosted }] }),
    'model of a plugin': ({ model }) => ({ plugins: [{ id: 'ok_hosted', models: [model] }] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp', server_url: `https://${host}:8443/mcp` }] }),
    models: ({ model }) => ({ models: ['ok-2', model] }),
  },
  responses: {
    function: ({ tool }) => ({ tools: [{ type: 'function', name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    'model of a tool': ({ model }) => ({ tools: [{ type: 'ok_hosted', svg: { model } }] }),
    namespace: (names) => ({ tools: [{ ...listed('namespace', names), name: 'space' }] }),
    'additional tools': (names) => ({ input: [listed('additional_tools', names)] }),
    'tool search': (names) => ({ input: [listed('tool_search_output', names)] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp', server_url: `https://ok.example@${host}/mcp` }] }),
    connector: ({ id }) => ({ tools: [{ type: 'mcp', connector_id: id }] }),
    tunnel: ({ id }) => ({ tools: [{ type: 'mcp', tunnel_id: id }] }),
  },
  anthropic: {
    custom: ({ tool }) => ({ tools: [{ name: tool, input_schema: {} }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: `${hosted}_20260801`, name: 'ok_hosted' }] }),
    adviser: ({ model }) => ({ tools: [{ type: 'ok_hosted', name: 'advisor', model }] }),
    fallbacks: ({ model }) => ({ fallbacks: [{ model }] }),
    mcp: ({ host }) => ({ mcp_servers: [{ name: 's', url: `https://${host}./sse` }] }),
    skill: ({ hosted }) => ({ container: { skills: [{ type: 'custom', skill_id: hosted, version: '1' }] } }),
    'tool in a message': ({ tool }) => ({
      messages: [
        {
          role: 'system',
          content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: tool } } }],
        },
      ],
    }),
  },
  gemini: {
    declaration: ({ tool }) => ({ tools: [{ functionDeclarations: [{ name: 'ok' }, { name: tool }] }] }),
    'declaration in snake_case': ({ tool }) => ({ tools: [{ function_declarations: [{ name: tool }] }] }),
    hosted: ({ hosted }) => ({ tools: [{ functionDeclarations: [], [hosted]: {} }] }),
    mcp: ({ host }) => ({ tools: [{ mcpServers: [{ streamableHttpTransport: { url: `https://${host}` } }] }] }),
    routing: ({ model }) => ({ generationConfig: { routingConfig: { manualMode: { modelName: model } } } }),
  },
  converse: {
    toolSpec: ({ tool }) => ({ toolConfig: { tools: [{ toolSpec: { name: tool, inputSchema: { json: {} } } }] } }),
    systemTool: ({ hosted }) => ({ toolConfig: { tools: [{ systemTool: { name: hosted } }] } }),
    'tool in a message': ({ tool }) => ({
      messages: [{ role: 'system', content: [{ toolAddition: { tool: { toolSpec: { name: tool } } } }] }],
    }),
  },
  interactions: {
    function: ({ tool }) => ({ tools: [{ type: 'function', name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp_server', url: `https://${host}/` }] }),
  },
};

/** Members by which a call takes what is stored at the provider, or left to it: no rule can be sure of it. */
export const stored: Record<Tools, readonly object[]> = {
  openai: [
    { preset: 'p' },
    { models: 'ok-1' },
    { tools: {} },
    { fallbacks: ['ok-1'] },
    { fallbacks: 'ok-1' },
    { extra_body: { fallbacks: ['ok-1'] } },
    { providerOptions: { gateway: { models: ['ok-1'] } } },
    { mcp_servers: ['ok_1'] },
    { agent_id: 'ok-1' },
  ],
  responses: [
    { prompt: { id: 'pmpt_1' } },
    { previous_response_id: 'resp_1' },
    { conversation: 'conv_1' },
    { input: [{ id: 'at_1' }] },
    { tools: [{ type: 'mcp', server_url: 'https://ok.example\\@bad.example/' }] },
  ],
  anthropic: [
    { fallbacks: 'default' },
    { agent_id: 'ok-1' },
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    { tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] },
  ],
  gemini: [{ cachedContent: 'cachedContents/c' }, { cached_content: 'cachedContents/c' }],
  converse: [
    { promptVariables: { who: { text: 'ok-1' } } },
    { additionalModelRequestFields: { tools: [{ name: 'ok_1' }] } },
    { toolConfig: { tools: [{ anyTool: { name: 'ok_1' } }] } },
    { toolConfig: { tools: [], servers: ['ok_1'] } },
  ],
  interactions: [{ agent: 'ok-1' }, { cached_content: 'cachedContents/c' }],
};
