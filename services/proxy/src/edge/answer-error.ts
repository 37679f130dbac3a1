import type { ApiError, ErrorCode } from '@agp/core/errors';
import { dropRest } from './drop-rest.ts';
import type { Exchange } from './exchange.ts';

/**
 * Refuses a request (decisions.md section 2, refusals). SDKs are told not to retry what would fail again; only what
 * is unavailable for the moment may be retried.
 */
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

const passing: ReadonlySet<ErrorCode> = new Set(['budget_held', 'share_used_up', 'body_too_slow']);

/** What is unavailable for the moment, or held by requests that will end soon. */
const mayBeRetried = ({ status, code }: ApiError): boolean => status === 503 || passing.has(code);
