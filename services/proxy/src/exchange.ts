import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, type ErrorCode, isFinal } from '@agp/core/errors';
import { dialects, type ProviderApi, type ToldRefusal } from '@agp/metering';
import { unreadBodyMs } from './limits.ts';

/** Headers by name, each with all of its values. */
export type HeaderValues = Record<string, string | string[]>;

export interface Exchange {
  method: string;
  /** Exactly as sent. */
  target: string;
  /** Names and values in turn, exactly as sent. */
  rawHeaders: readonly string[];
  /** The agent's address, as far as `TRUST_PROXY` allows to know it. */
  sourceIp: string;
  /** The caller's, or made here; not unique. */
  requestId: string;
  /** On the monotonic clock, in milliseconds. */
  arrived: number;
  request: IncomingMessage;
  response: ServerResponse;
}

/** A provider's own `X-Request-Id` stays: SDKs show it to people who ask the provider about a call. */
export function requestIdHeaders(requestId: string, ofProvider?: unknown): Record<string, string> {
  const own = { 'X-Agp-Request-Id': requestId };
  return ofProvider === undefined ? { 'X-Request-Id': requestId, ...own } : own;
}

/**
 * Discards the rest of a body. Clients that send everything before they read would otherwise never see their answer.
 */
export function dropRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const cut = setTimeout(() => request.destroy(), unreadBodyMs);
  request.once('close', () => clearTimeout(cut));
}

/** Refusals that somebody's setting is behind. */
const isDecided: ReadonlySet<ErrorCode> = new Set([
  'agent_blocked',
  'paused',
  'agent_budget_exceeded',
  'global_budget_exceeded',
  'rate_limited',
  'path_not_allowed',
  'policy_denied',
  'unauthorized_agent',
]);

/** As agents read it: nobody takes it for the provider's. @param contact whom to ask, if that is set */
export function tellRefusal({ code, status, message }: ApiError, contact: string | undefined): ToldRefusal {
  const ask = contact !== undefined && isDecided.has(code) ? `; ask ${contact}` : '';
  return { code, status, message: `governance proxy: ${message}${ask}` };
}

/**
 * Answers unless an answer has begun; `x-should-retry` keeps SDKs from repeating what would fail again.
 * @param api whose errors the caller reads; null if no provider is known
 */
export function answerError(
  exchange: Exchange,
  error: ApiError,
  headers: Record<string, string>,
  api: ProviderApi | null,
  contact: string | undefined,
): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const told = tellRefusal(error, contact);
  const body = api === null ? JSON.stringify({ error: told.message }) : dialects[api].formatRefusal(told);
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
