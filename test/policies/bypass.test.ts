/**
 * What the documentation of gateways lets a caller name models and tools by, and what vendors document as ordinary. The first is read or
 * known to be unread, the second is never refused.
 */
import { choosesModel } from '@agp/metering';
import { expect, test } from 'vitest';
import { readNames } from '../../packages/metering/test/read-names.ts';
import { ordinary } from './ordinary.ts';

const chat = '/v1/chat/completions';
const [responses, messages] = ['/v1/responses', '/v1/messages'];
const content = '/v1beta/models/a:generateContent';
const usual = { model: 'a', messages: [{ role: 'user', content: 'x' }] };

/** Whether a rule that denies `bad` in models and tools would let it pass. */
function passes(provider: string, path: string, body: object, query = ''): boolean {
  const { models, tools } = readNames(provider, path, body, { query });
  return models !== null && tools !== null && ![...models, ...tools].some((name) => name.includes('bad'));
}

const tool = { type: 'function', function: { name: 'bad' } };

test.each<[string, object[]]>([
  [
    'LiteLLM',
    [
      { fallbacks: ['bad'] },
      { fallbacks: 'bad' },
      { fallbacks: [{ model: 'bad' }] },
      { context_window_fallback_dict: { a: 'bad' } },
      { context_window_fallbacks: [{ a: ['bad'] }] },
      { content_policy_fallbacks: [{ a: ['bad'] }] },
      { default_fallbacks: ['bad'] },
      { model_list: [{ model_name: 'a', litellm_params: { model: 'bad' } }] },
      { model_info: { id: 'bad' } },
      { custom_llm_provider: 'bad' },
      { api_base: 'http://bad' },
      { base_url: 'http://bad' },
      { mcp_servers: ['bad'] },
      { prompt_id: 'bad' },
      { prompt_variables: { x: 'bad' } },
      { deployment_id: 'bad' },
      { specific_deployment: 'bad' },
      { tags: ['bad'] },
      { extra_body: { fallbacks: ['bad'] } },
      { extra_body: { tools: [tool] } },
      { router_settings_override: { fallbacks: [{ a: ['bad'] }] } },
    ],
  ],
  [
    'Portkey',
    [{ config: { targets: [] } }, { override_params: { model: 'bad' } }, { targets: ['bad'] }, { strategy: {} }],
  ],
  [
    'OpenRouter',
    [
      { models: ['a', 'bad'] },
      { models: 'bad' },
      { preset: 'bad' },
      { model: '@preset/bad' },
      { model: 'a@preset/bad' },
      { plugins: [{ id: 'bad' }] },
      { plugins: [{ id: 'web', engine: 'exa', models: ['bad'] }] },
      { plugins: [{ id: 'auto-router', allowed_models: ['bad'] }] },
      { plugins: [{ id: 'fusion', analysis_models: ['bad'] }] },
      { model: 'a,bad' },
    ],
  ],
  [
    'Vercel',
    [
      { providerOptions: { gateway: { models: ['bad'] } } },
      { providerOptions: { gateway: { order: ['bad'] } } },
      { provider_options: { gateway: { models: ['bad'] } } },
      { gateway: { models: ['bad'] } },
    ],
  ],
  ['Cloudflare', [{ steps: [{ model: 'bad' }] }, { lora: 'bad' }, { universal: [{ provider: 'bad' }] }]],
  ['Helicone', [{ prompt_id: 'bad' }, { heliconeOptions: { fallbacks: ['bad'] } }, { inputs: { model: 'bad' } }]],
  [
    'vendors',
    [
      { agent_id: 'bad' },
      { agent: 'bad' },
      { safety_model: 'bad' },
      { draft_model: 'bad' },
      { speculative_model: 'bad' },
      { lora_request: { lora_name: 'bad' } },
      { extra_body: { google: { cached_content: 'cachedContents/bad' } } },
      { extra_body: { google: { tools: [{ google_search: {} }] } } },
      { tools: [tool] },
      { messages: [{ role: 'developer', content: 'x', tools: [tool] }] },
      { messages: [{ role: 'user', content: 'x', mcp_servers: [{ url: 'https://bad' }] }] },
      { metadata: { tags: ['bad'] } },
      { functions: [{ name: 'bad' }] },
      { compound_custom: { models: { answering_model: 'bad' } } },
      { data_sources: [{ type: 'azure_search', parameters: { embedding_dependency: { deployment_name: 'bad' } } }] },
      { chat_template_kwargs: { tools: [tool] } },
      { toolsets: ['bad'] },
      { skills: ['bad'] },
      { search_agent: 'bad' },
      { Model: 'bad' },
      { Tools: [tool] },
    ],
  ],
])('nothing that %s documents passes beside the rules', (_gateway, members) => {
  const passed = members.flatMap((member) =>
    [chat, '/v1/completions', responses].filter((path) => passes('openai', path, { ...usual, ...member })),
  );
  expect(passed).toEqual([]);
});

test.each<[string, string, object]>([
  ['openai', responses, { model: 'a', input: [{ id: 'msgs_bad' }] }],
  ['openai', responses, { model: 'a', input: [{ id: 'at_bad', type: null }] }],
  ['openai', responses, { model: 'a', input: 'x', agent: { id: 'bad' } }],
  ['anthropic', messages, { ...usual, container: { skills: [{ type: 'custom', skill_id: 'bad', version: '1' }] } }],
  ['anthropic', messages, { ...usual, agent_id: 'bad' }],
  ['gemini', '/v1beta/tunedModels/bad:generateContent', {}],
  ['gemini', '/v1/projects/p/locations/l/publishers/bad/models/a:generateContent', {}],
  ['gemini', '/v1/projects/p/locations/l/endpoints/bad:generateContent', {}],
  ['gemini', content, { model: 'tunedModels/bad' }],
  ['gemini', content, { model: 'publishers/bad/models/a' }],
  [
    'gemini',
    content,
    {
      tools: [
        { retrieval: { vertexRagStore: { ragRetrievalConfig: { ranking: { llmRanker: { modelName: 'bad' } } } } } },
      ],
    },
  ],
  ['openai', '/v1/embeddings', { model: 'a', input: 'x', metadata: { tags: ['bad'] } }],
  ['anthropic', messages, { ...usual, metadata: { tags: ['bad'] } }],
  ['gemini', '/v1beta/models/a:predict', { instances: [{ tools: [tool], messages: [] }] }],
  ['gemini', '/v1beta/models/a:predict', { instances: [{ '@requestFormat': 'chatCompletions', model: 'bad' }] }],
  [
    'gemini',
    '/v1beta/models/a:batchGenerateContent',
    {
      batch: {
        inputConfig: { requests: { requests: [{ request: { contents: [] } }] } },
        input_config: { requests: { requests: [{ request: { model: 'models/bad' } }] } },
      },
    },
  ],
  ['gemini', '/v1beta/models/a:batchGenerateContent', { batch: { model: 'models/bad', input_config: {} } }],
])('%s at %s with %j passes no rule', (provider, path, body) => {
  expect(passes(provider, path, body)).toBe(false);
});

test.each<[object, string, string]>([
  [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'client', 'bash'],
  [{ tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' }] }, 'client', 'text_editor'],
  [{ web_search: true }, 'hosted', 'web_search'],
  [{ enable_enhancement: true }, 'hosted', 'web_search'],
  [{ code_interpreter: true }, 'hosted', 'code_interpreter'],
  [{ connectors: [{ id: 'web-search' }] }, 'hosted', 'web_search'],
])('%j offers the %s tool %s', (member, kind, name) => {
  const { tools } = readNames('openai', chat, { ...usual, ...member });
  expect(tools?.some((each) => new RegExp(`^${kind} (?:.*,)?${name}(?:,|$)`).test(each))).toBe(true);
});

test.each([
  `/engines/bad${chat}`,
  '/v1/engines/bad/completions',
  `/models/bad${chat}`,
  '/v1/agents/completions',
  '/v1/agents/chat/completions',
  '/v1/prompts/bad/completions',
  '/run/bad/v1/chat/completions',
  '/openai/deployments/bad/chat/completions',
  '/serving-endpoints/bad/chat/completions',
  '/v1/projects/p/locations/l/endpoints/bad/chat/completions',
])('the path %s names a model or is unread', (path) => {
  expect(passes('openai', path, usual)).toBe(false);
});

test.each([
  '?model[]=bad',
  '?x=1%26model=bad',
  '?models=bad',
  '?MODEL=bad',
  '?x;model=bad',
  '?agent=bad',
  '?deployment=bad',
  '?mo%64el=bad',
])('the query %s names a model or is unread', (query) => {
  expect(passes('openai', chat, usual, query)).toBe(false);
  expect(passes('gemini', content, {}, query)).toBe(false);
});

test('headers by which gateways choose models or bring tools are known by their families', () => {
  const choosing = `x-portkey-config x-portkey-provider x-portkey-virtual-key x-portkey-custom-host x-portkey-mcp-config x_portkey_config
    helicone-fallbacks Helicone-Target-Url helicone-prompt-id helicone-model-override x-litellm-model x-litellm-mcp-servers
    cf-aig-custom-provider cf-aig-gateway-model cf-aig-step-model x-bf-vk x-bf-model x-bf-fallbacks x-bf-mcp-include-clients x-mcp-auth
    azureml-model-deployment AZUREML_MODEL_DEPLOYMENT x-ms-model-mesh-model-name x-ai-eg-model x-kong-llm-model x-gateway-model-name
    x-target-model x-amzn-sagemaker-target-model ai-model-id x-route`;
  const harmless = `x-portkey-api-key x-portkey-trace-id x-portkey-metadata helicone-auth helicone-user-id helicone-session-id
    helicone-property-team helicone-cache-enabled x-litellm-session-id x-litellm-timeout cf-aig-authorization cf-aig-metadata cf-aig-skip-cache
    cf-aig-cache-ttl x-stainless-lang x-request-id openai-beta anthropic-beta x-goog-api-client http-referer x-title x-client-request-id`;
  expect(choosing.split(/\s+/).filter((name) => !choosesModel(name))).toEqual([]);
  expect(harmless.split(/\s+/).filter(choosesModel)).toEqual([]);
});

test.each(ordinary)('ordinary members of %s are not refused', (_vendor, id, path, body) => {
  const { models, tools } = readNames(id, path, { ...(id === 'gemini' ? {} : { model: 'a' }), ...body });
  expect({ models, tools }).toEqual({ models: ['a'], tools: [] });
});

test('members that an operator vouches for are harmless, there alone', () => {
  expect(readNames('openai', chat, { ...usual, vouched: 'x' }).models).toEqual(['a']);
  expect(readNames('openai', chat, { ...usual, extra_body: { vouched: 'x' } }).models).toBe(null);
});
