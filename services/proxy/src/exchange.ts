import type { IncomingMessage, ServerResponse } from 'node:http';
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
