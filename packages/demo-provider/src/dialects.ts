import * as anthropic from './anthropic.ts';
import type { Route } from './endpoint.ts';
import * as gemini from './gemini.ts';
import * as models from './models.ts';
import * as chat from './openai/chat.ts';
import { answerEmbeddings } from './openai/embeddings.ts';
import type { ProviderFault } from './request.ts';

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
