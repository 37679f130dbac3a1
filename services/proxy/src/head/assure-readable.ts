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

/** Not TRACE, whose answer repeats the request's headers. */
const served = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
const isServed = new Set(served);

/** @throws ApiError `method_not_allowed` */
export function assureServedMethod(method: string): void {
  if (!isServed.has(method)) throw new ApiError('method_not_allowed', { headers: { Allow: served.join(', ') } });
}
