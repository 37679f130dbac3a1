import { randomUUIDv7 } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { requestIdPattern } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { spellsAgentToken } from './holds-agent-token.ts';

/**
 * The caller's `X-Request-Id` if it is 1 to 128 printable ASCII characters without spaces, given once and without an agent token, since
 * it is recorded and shown; else a new id. Callers may repeat ids, their own or those of others: none is ever a key.
 */
export function readRequestId({ headersDistinct }: IncomingMessage): string {
  const [id = '', ...others] = headersDistinct['x-request-id'] ?? [];
  const isTaken = others.length === 0 && requestIdPattern.test(id) && !spellsAgentToken(id);
  return isTaken ? id : toPublicId('req', randomUUIDv7());
}
