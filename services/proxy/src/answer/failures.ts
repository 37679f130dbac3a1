import { ApiError, type ErrorCode } from '@agp/core/errors';
import type { FailureCause } from '@agp/core/events';

export class AgentLeft extends Error {}

/** The request was ended here: its agent was blocked, all were paused, or this process stops. */
export class Stopped extends Error {}

const causes: Readonly<Record<string, FailureCause>> = {
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EAI_FAIL: 'name_not_found',
  EAI_NODATA: 'name_not_found',
  EAI_NONAME: 'name_not_found',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPERM: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  EPROTO: 'tls',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_CLOSED: 'reset',
  UND_ERR_DESTROYED: 'reset',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  EGRESS_PROXY: 'proxy',
};

const tlsCodes =
  /^(?:ERR_(?:TLS|SSL)_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** Answers that break HTTP, or that Node will not send on; undici's parser errors may have no code. */
const protocolCodes = /^(?:HPE_|UND_ERR_RES|UND_ERR_HEADERS_OVERFLOW|ERR_INVALID_|ERR_HTTP_)/;

/** Why the provider could not be reached, or broke off; null if it is not at fault. */
export function toFailureCause(error: Error): FailureCause | null {
  // A body that streams through may turn out too large or end early.
  if (error instanceof ApiError) return null;
  // If a name has several addresses, and all failed, the error has the code of the first.
  const code = String((error as { code?: unknown }).code ?? '');
  const known = Object.hasOwn(causes, code) ? causes[code] : undefined;
  if (known !== undefined) return known;
  if (tlsCodes.test(code)) return 'tls';
  return error.name === 'HTTPParserError' || protocolCodes.test(code) ? 'protocol' : 'other';
}

export function toFailure(error: Error): ErrorCode {
  if (error instanceof ApiError) return error.code;
  return toFailureCause(error) === 'timeout' ? 'provider_timeout' : 'provider_unreachable';
}
