import * as anthropic from './anthropic.ts';
import * as gemini from './gemini.ts';
import * as chat from './openai/chat.ts';
import type { Endpoint, Route } from './endpoint.ts';
import { answerEmbeddings } from './openai/embeddings.ts';
import { ProviderFault } from './request.ts';

/** The models that are listed, all with a known price; requests may name any other too. */
const openai = ['gpt-5', 'gpt-5-mini', 'gpt-4o', 'gpt-4o-mini', 'gpt-3.5-turbo-instruct', 'text-embedding-3-small'];
const anthropic = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-haiku-4-5'];
const gemini = ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-embedding-001'];
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

export const listOpenaiModels: Endpoint = () => ({ json: { object: 'list', data: openai.map(toOpenai) } });
export const showOpenaiModel = answerOne(openai, toOpenai);
export const listAnthropicModels: Endpoint = () => ({
  json: { data: anthropic.map(toAnthropic), has_more: false, first_id: anthropic[0], last_id: anthropic.at(-1) },
});
export const showAnthropicModel = answerOne(anthropic, toAnthropic);
export const listGeminiModels: Endpoint = () => ({ json: { models: gemini.map(toGemini) } });
export const showGeminiModel = answerOne(gemini, toGemini);

/** An API: its endpoints, and the form of its errors. */
export interface Dialect {
  routes: readonly Route[];
  requestIdHeader: string;
  toErrorBody(fault: ProviderFault, requestId: string): unknown;
}

/** The APIs by the first part of the path. */
export const dialects: Readonly<Record<string, Dialect>> = {
  openai: {
    routes: [
      ['POST', /^\/v1\/chat\/completions$/, chat.answerChatCompletion],
      ['POST', /^\/v1\/completions$/, chat.answerCompletion],
      ['POST', /^\/v1\/responses$/, chat.answerResponse],
      ['POST', /^\/v1\/embeddings$/, answerEmbeddings],
      ['GET', /^\/v1\/models$/, models.listOpenaiModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, models.showOpenaiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: chat.toErrorBody,
  },
  anthropic: {
    routes: [
      ['POST', /^\/v1\/messages$/, anthropic.answerMessage],
      ['POST', /^\/v1\/messages\/count_tokens$/, anthropic.answerTokenCount],
      ['GET', /^\/v1\/models$/, models.listAnthropicModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, models.showAnthropicModel],
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
      ['GET', /^\/v1(?:beta|alpha)?\/models$/, models.listGeminiModels],
      ['GET', /^\/v1(?:beta|alpha)?\/models\/([^/:]+)$/, models.showGeminiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: gemini.toErrorBody,
  },
};
