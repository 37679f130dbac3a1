import { type ApiError, isFinal } from '@agp/core/errors';
import { requestIdHeaders } from '../answer/request-id-headers.ts';
import { dropRest } from './drop-rest.ts';
import type { Exchange } from './exchange.ts';

/** Answers with an error, unless an answer has begun. `x-should-retry` keeps SDKs from retrying requests that would fail again. */
export function answerError(exchange: Exchange, error: ApiError, headers: Record<string, string>): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify({ error: error.message });
  response.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(isFinal(error) ? { 'x-should-retry': 'false' } : {}),
    ...requestIdHeaders(exchange.requestId),
    ...headers,
    ...error.headers,
  });
  response.end(body);
  dropRest(request);
}
