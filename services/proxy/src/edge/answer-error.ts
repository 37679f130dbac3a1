import type { ApiError, ErrorCode } from '@agp/core/errors';
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
    ...(mayBeRetried(error) ? {} : { 'x-should-retry': 'false' }),
    ...headers,
    ...error.headers,
  });
  response.end(body);
  dropRest(request);
}

const temporary: ReadonlySet<ErrorCode> = new Set(['budget_held', 'share_used_up', 'body_too_slow']);

const mayBeRetried = ({ status, code }: ApiError): boolean => status === 503 || temporary.has(code);
