import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, isFinal } from '@agp/core/errors';
import type { Full } from '@agp/runtime/fairness';

/** Headers by name, each with all of its values. */
export type HeaderValues = Record<string, string | string[]>;

/** A request as the pipeline gets it, and the way to answer it. */
export interface Exchange {
  method: string;
  /** The request target, exactly as it was sent. */
  target: string;
  /** Names and values in turn, exactly as they were sent. */
  rawHeaders: readonly string[];
  /** The agent's address, as far as `TRUST_PROXY` allows to know it. */
  sourceIp: string;
  /** The caller's, or made here; not unique. */
  requestId: string;
  /** When the request arrived, on the monotonic clock, in milliseconds. */
  arrived: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * The request's id for its caller. `X-Request-Id` is left to the provider where it sends one, as SDKs show that to people who ask the
 * provider about a call.
 */
export function requestIdHeaders(requestId: string, ofProvider?: unknown): Record<string, string> {
  const own = { 'X-Agp-Request-Id': requestId };
  return ofProvider === undefined ? { 'X-Request-Id': requestId, ...own } : own;
}

/** How long an agent may keep sending a body that is no longer read, in milliseconds. */
const patienceMs = 5_000;

/**
 * Reads and discards the rest of a request's body. Clients that send everything before they read would otherwise never see
 * their answer, and closing the connection at once could lose it.
 */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const cut = setTimeout(() => request.destroy(), patienceMs);
  request.once('close', () => clearTimeout(cut));
}

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

/** The error for a full share: the agent's own, with a message, or that of all. */
export function refuseShare(full: Full, ofAgent: string): ApiError {
  return full === 'agent' ? new ApiError('share_used_up', ofAgent) : new ApiError('proxy_overloaded');
}
