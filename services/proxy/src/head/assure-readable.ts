import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@agp/core/errors';
import type { Operation } from '@agp/metering';
import type { Provider } from '../settings/provider.ts';
import type { QueryParameters } from './query-parameters.ts';

const googleHost = /(?:^|\.)googleapis\.com$/;
const answerForm = /^\$?(?:alt|callback|fields)$/;
const readable = /^(?:json|sse)$/;

/**
 * Refuses what makes Google's servers answer without usage, or not in JSON (cloud.google.com/apis/docs/system-parameters): the cost would
 * be unknown.
 * @throws ApiError `not_governed`
 */
export function assureReadable(
  { api, baseUrl }: Pick<Provider, 'api' | 'baseUrl'>,
  operation: Operation | null,
  parameters: QueryParameters,
  headers: IncomingHttpHeaders,
): void {
  if (operation === null || (api !== 'gemini' && !googleHost.test(baseUrl.hostname))) return;
  const asked = parameters.filter(({ name }) => answerForm.test(name));
  const isRead = asked.every(({ name, value }) => name.endsWith('alt') && readable.test(value));
  if (isRead && headers['x-goog-fieldmask'] === undefined) return;
  throw new ApiError('not_governed', 'answers that are not whole, or not JSON, are not governed');
}

const lastWord = /\/([a-z-]{1,40})\/?$/;

/**
 * Refuses what a closed API has beside its operations: an answer that nobody reads would be free, and a caller's own signature is for
 * another host than this proxy.
 * @throws ApiError `not_governed`, `malformed_request`
 */
export function assureClosed(
  operation: Operation | null,
  method: string,
  path: string,
  { authorization = '' }: IncomingHttpHeaders,
): void {
  if (/^AWS4-/i.test(authorization))
    throw new ApiError(
      'malformed_request',
      'a request that its caller signed is for another host: send a bearer key, by AWS_BEARER_TOKEN_BEDROCK or authSchemePreference httpBearerAuth',
    );
  if (operation !== null || method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const [, verb = 'this path'] = lastWord.exec(path) ?? [];
  throw new ApiError(
    'not_governed',
    `${verb} is not governed here, or not of this model: nothing reads what it costs; all models answer converse`,
  );
}

/** Not TRACE, whose answer repeats the request's headers. */
const served = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
const isServed = new Set(served);

/** @throws ApiError `method_not_allowed` */
export function assureServedMethod(method: string): void {
  if (!isServed.has(method)) throw new ApiError('method_not_allowed', { headers: { Allow: served.join(', ') } });
}
