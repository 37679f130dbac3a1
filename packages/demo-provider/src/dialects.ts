import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import { answerMessage, answerTokenCount } from './anthropic/messages.ts';
import { listAnthropicModels, listOpenaiModels } from './list-models.ts';
import { answerChatCompletion } from './openai/chat-completions.ts';
import { answerEmbeddings } from './openai/embeddings.ts';
import { answerResponse } from './openai/responses.ts';
import type { ProviderFault } from './provider-fault.ts';

/** An API: its endpoints, and the form of its errors. */
export interface Dialect {
  endpoints: Record<string, (body: unknown) => Answer>;
  requestIdHeader: string;
  toErrorBody(fault: ProviderFault, requestId: string): unknown;
}

const openai: Dialect = {
  endpoints: {
    'POST /v1/chat/completions': answerChatCompletion,
    'POST /v1/responses': answerResponse,
    'POST /v1/embeddings': answerEmbeddings,
    'GET /v1/models': listOpenaiModels,
  },
  requestIdHeader: 'x-request-id',
  toErrorBody: (fault) => ({
    error: { message: fault.message, type: 'invalid_request_error', param: fault.param, code: null },
  }),
};

const anthropicTypes = {
  invalid_request: 'invalid_request_error',
  not_found: 'not_found_error',
  request_too_large: 'request_too_large',
} as const;

const anthropic: Dialect = {
  endpoints: {
    'POST /v1/messages': answerMessage,
    'POST /v1/messages/count_tokens': answerTokenCount,
    'GET /v1/models': listAnthropicModels,
  },
  requestIdHeader: 'request-id',
  toErrorBody: (fault, requestId) => ({
    type: 'error',
    error: { type: anthropicTypes[fault.code], message: fault.message },
    request_id: requestId,
  }),
};

/** Chooses the API of a request: Anthropic's clients always send their version header, and no other API has `/v1/messages`. */
export function chooseDialect(path: string, headers: IncomingHttpHeaders): Dialect {
  return headers['anthropic-version'] !== undefined || path.startsWith('/v1/messages') ? anthropic : openai;
}
