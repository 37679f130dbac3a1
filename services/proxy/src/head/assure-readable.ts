import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@agp/core/errors';
import type { Operation } from '@agp/metering';
import { findParameters } from '@agp/metering';
import type { Provider } from '../settings/load-providers.ts';

const googleHost = /(?:^|\.)googleapis\.com$/;
const answerForm = /^\$?(?:alt|callback|fields)$/;
const readable = /^(?:json|sse)$/;

/**
 * Google's servers answer a model call in other forms than JSON, or without its figures, where the query or a header asks
 * for that (cloud.google.com/apis/docs/system-parameters). Nobody could tell then what it cost.
 *
 * @param operation null where the answer is not read anyway
 * @throws ApiError `not_governed`
 */
export function assureReadable(
  { api, baseUrl }: Pick<Provider, 'api' | 'baseUrl'>,
  operation: Operation | null,
  query: string,
  headers: IncomingHttpHeaders,
): void {
  if (operation === null || (api !== 'gemini' && !googleHost.test(baseUrl.hostname))) return;
  const asked = findParameters(query, (name) => answerForm.test(name));
  const isRead = asked.every(({ name, value }) => name.endsWith('alt') && readable.test(value));
  if (isRead && headers['x-goog-fieldmask'] === undefined) return;
  throw new ApiError('not_governed', 'answers that are not whole, or not JSON, are not governed');
}
