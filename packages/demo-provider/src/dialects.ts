import * as anthropic from './anthropic.ts';
import * as bedrock from './bedrock.ts';
import { reportAnthropicCosts, reportOpenaiCosts } from './cost-reports.ts';
import type { Endpoint, Route } from './endpoint.ts';
import * as gemini from './gemini.ts';
import * as openai from './openai.ts';
import { ProviderFault } from './request.ts';

/** The models that are listed, all with a known price; requests may name any other too. */
const openaiModels = [
  'gpt-5',
  'gpt-5-mini',
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-small',
];
const anthropicModels = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-haiku-4-5'];
const geminiModels = ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-embedding-001'];
const releasedAt = new Date('2026-01-01T00:00:00Z');

const toOpenai = (id: string) => ({ id, object: 'model', created: releasedAt.getTime() / 1_000, owned_by: 'demo' });
const toAnthropic = (id: string) => ({ type: 'model', id, display_name: id, created_at: releasedAt.toISOString() });
const toGemini = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: id,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: id.includes('embedding')
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent', 'countTokens'],
});

function answerOne(ids: readonly string[], write: (id: string) => object): Endpoint {
  return ({ params: [asked = ''] }) => {
    if (!ids.includes(asked)) throw new ProviderFault('not_found', 'The demo lists no such model.', 'model');
    return { json: write(asked) };
  };
}

const listOpenaiModels: Endpoint = () => ({ json: { object: 'list', data: openaiModels.map(toOpenai) } });
const showOpenaiModel = answerOne(openaiModels, toOpenai);
const listAnthropicModels: Endpoint = () => ({
  json: {
    data: anthropicModels.map(toAnthropic),
    has_more: false,
    first_id: anthropicModels[0],
    last_id: anthropicModels.at(-1),
  },
});
const showAnthropicModel = answerOne(anthropicModels, toAnthropic);
const listGeminiModels: Endpoint = () => ({ json: { models: geminiModels.map(toGemini) } });
const showGeminiModel = answerOne(geminiModels, toGemini);

/** An API: its endpoints, and the form of its errors. */
export interface Dialect {
  routes: readonly Route[];
  requestIdHeader: string;
  toErrorBody(fault: ProviderFault, requestId: string): unknown;
  toErrorHeaders?(fault: ProviderFault): Record<string, string>;
}

/** The APIs by the first part of the path. */
export const dialects: Readonly<Record<string, Dialect>> = {
  openai: {
    routes: [
      ['POST', /^\/v1\/chat\/completions$/, openai.answerChatCompletion],
      ['POST', /^\/v1\/completions$/, openai.answerCompletion],
      ['POST', /^\/v1\/responses$/, openai.answerResponse],
      ['POST', /^\/v1\/embeddings$/, openai.answerEmbeddings],
      ['GET', /^\/v1\/organization\/costs$/, reportOpenaiCosts],
      ['GET', /^\/v1\/models$/, listOpenaiModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, showOpenaiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: openai.toErrorBody,
  },
  anthropic: {
    routes: [
      ['POST', /^\/v1\/messages$/, anthropic.answerMessage],
      ['POST', /^\/v1\/messages\/count_tokens$/, anthropic.answerTokenCount],
      ['GET', /^\/v1\/organizations\/cost_report$/, reportAnthropicCosts],
      ['GET', /^\/v1\/models$/, listAnthropicModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, showAnthropicModel],
    ],
    requestIdHeader: 'request-id',
    toErrorBody: anthropic.toErrorBody,
  },
  gemini: {
    routes: [
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):generateContent$/, gemini.answerContent],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):streamGenerateContent$/, gemini.answerContentStream],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):countTokens$/, gemini.answerCount],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):embedContent$/, gemini.answerEmbedding],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):batchEmbedContents$/, gemini.answerEmbeddings],
      ['GET', /^\/v1(?:beta|alpha)?\/models$/, listGeminiModels],
      ['GET', /^\/v1(?:beta|alpha)?\/models\/([^/:]+)$/, showGeminiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: gemini.toErrorBody,
  },
  bedrock: {
    routes: [
      ['POST', /^\/model\/([^/]+)\/converse$/, bedrock.answerWhole],
      ['POST', /^\/model\/([^/]+)\/converse-stream$/, bedrock.answerStream],
      ['POST', /^\/model\/([^/]+)\/invoke$/, bedrock.answerInvoked],
      ['POST', /^\/model\/([^/]+)\/invoke-with-response-stream$/, bedrock.answerInvokedStream],
      ['POST', /^\/model\/([^/]+)\/count-tokens$/, bedrock.answerTokenCount],
      ['POST', /^\/anthropic\/v1\/messages$/, anthropic.answerMessage],
      ['POST', /^\/openai\/v1\/chat\/completions$/, openai.answerChatCompletion],
      ['POST', /^\/openai\/v1\/responses$/, openai.answerResponse],
    ],
    requestIdHeader: 'x-amzn-requestid',
    toErrorBody: bedrock.toErrorBody,
    toErrorHeaders: bedrock.toErrorHeaders,
  },
};
