import { answerMessage, answerTokenCount, toErrorBody as toAnthropicError } from './anthropic.ts';
import type { Route } from './endpoint.ts';
import * as geminiEmbeddings from './gemini.ts';
import { answerContent, answerContentStream, answerCount, toErrorBody as toGeminiError } from './gemini.ts';
import * as models from './models.ts';
import { answerChatCompletion, answerCompletion, answerResponse, toErrorBody as toOpenaiError } from './openai/chat.ts';
import { answerEmbeddings } from './openai/embeddings.ts';
import {
  answerFile,
  answerFileContent,
  answerImageEdits,
  answerImages,
  answerSpeech,
  answerTranscription,
  listFiles,
  showFile,
} from './openai/media.ts';
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
      ['POST', /^\/v1\/chat\/completions$/, answerChatCompletion],
      ['POST', /^\/v1\/completions$/, answerCompletion],
      ['POST', /^\/v1\/responses$/, answerResponse],
      ['POST', /^\/v1\/embeddings$/, answerEmbeddings],
      ['POST', /^\/v1\/images\/generations$/, answerImages],
      ['POST', /^\/v1\/images\/edits$/, answerImageEdits],
      ['POST', /^\/v1\/audio\/speech$/, answerSpeech],
      ['POST', /^\/v1\/audio\/(?:transcriptions|translations)$/, answerTranscription],
      ['POST', /^\/v1\/files$/, answerFile],
      ['GET', /^\/v1\/files$/, listFiles],
      ['GET', /^\/v1\/files\/([^/]+)$/, showFile],
      ['GET', /^\/v1\/files\/([^/]+)\/content$/, answerFileContent],
      ['GET', /^\/v1\/models$/, models.listOpenaiModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, models.showOpenaiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: toOpenaiError,
  },
  anthropic: {
    routes: [
      ['POST', /^\/v1\/messages$/, answerMessage],
      ['POST', /^\/v1\/messages\/count_tokens$/, answerTokenCount],
      ['GET', /^\/v1\/models$/, models.listAnthropicModels],
      ['GET', /^\/v1\/models\/([^/]+)$/, models.showAnthropicModel],
    ],
    requestIdHeader: 'request-id',
    toErrorBody: toAnthropicError,
  },
  gemini: {
    routes: [
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):generateContent$/, answerContent],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):streamGenerateContent$/, answerContentStream],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):countTokens$/, answerCount],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):embedContent$/, geminiEmbeddings.answerEmbedding],
      ['POST', /^\/v1(?:beta|alpha)?\/models\/([^/:]+):batchEmbedContents$/, geminiEmbeddings.answerEmbeddings],
      ['GET', /^\/v1(?:beta|alpha)?\/models$/, models.listGeminiModels],
      ['GET', /^\/v1(?:beta|alpha)?\/models\/([^/:]+)$/, models.showGeminiModel],
    ],
    requestIdHeader: 'x-request-id',
    toErrorBody: toGeminiError,
  },
};
