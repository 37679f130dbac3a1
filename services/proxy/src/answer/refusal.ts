import { type ApiError, type ErrorCode, isFinal } from '@agp/core/errors';
import { dialects, matchOperation, type ProviderApi, type ToldRefusal } from '@agp/metering';
import type { ProxyConfig } from '../config.ts';
import { dropRest, type Exchange, requestIdHeaders } from '../exchange.ts';
import { maxTargetLength } from '../limits.ts';
import { normalisePath, type Provider } from '../settings/provider.ts';

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
  'agent_of_another',
]);

/** As agents read it: nobody takes it for the provider's. @param contact whom to ask, if that is set */
export function tellRefusal({ code, status, message }: ApiError, contact: string | undefined): ToldRefusal {
  const ask = contact !== undefined && isDecided.has(code) ? `; ask ${contact}` : '';
  return { code, status, message: `governance proxy: ${message}${ask}` };
}

/** Whose errors the sender of a request reads, as far as its target tells, well formed or not; null if that names no provider. */
function findApi(providers: ReadonlyMap<string, Provider>, { method, target }: Exchange): ProviderApi | null {
  const [path = ''] = target.slice(0, maxTargetLength).split('?', 1);
  const [, id = '', rest = ''] = /^(?:\/agents\/[^/]*)?\/([^/]+)(.*)$/.exec(path) ?? [];
  const provider = providers.get(id);
  if (provider === undefined) return null;
  return matchOperation(provider.api, method, normalisePath(provider, rest))?.api ?? provider.api;
}

/** Answers unless an answer has begun; `x-should-retry` keeps SDKs from repeating what would fail again. */
export function answerError(
  { providers, refusalContact }: Pick<ProxyConfig, 'providers' | 'refusalContact'>,
  exchange: Exchange,
  error: ApiError,
  headers: Record<string, string>,
): void {
  const { request, response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const told = tellRefusal(error, refusalContact);
  const api = findApi(providers, exchange);
  const dialect = api === null ? null : dialects[api];
  const body = dialect?.formatRefusal(told) ?? JSON.stringify({ error: told.message });
  const described = dialect?.describeRefusal?.(told);
  response.writeHead(described?.status ?? error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(isFinal(error) ? { 'x-should-retry': 'false' } : {}),
    ...requestIdHeaders(exchange.requestId),
    ...headers,
    ...described?.headers,
    ...error.headers,
  });
  response.end(body);
  dropRest(request);
}
