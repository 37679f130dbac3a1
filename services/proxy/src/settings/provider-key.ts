import type { Operation } from '@agp/metering';
import type { HeaderValues } from '../answer/forwarded-headers.ts';
import type { Provider } from './load-providers.ts';

/** Where callers put credentials of their own. `Cookie` and `Proxy-*` never go on anyway. */
const credentialHeaders = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-goog-iam-authorization-token',
  'ocp-apim-subscription-key',
]);
const credentialParameter = /^\$?(?:key|api[-_]?key|access_token|oauth_token|subscription-key)$/i;

/** Whether a header, by its lower-case name, is one that a caller shows a credential in. */
export const isCredentialHeader = (name: string): boolean => credentialHeaders.has(name);

/** Whether a parameter of a query is one that a caller shows a credential in. */
export const isCredentialParameter = (name: string): boolean => credentialParameter.test(name);

/** Azure's resources know a key by a header of their own. */
const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/**
 * The header that shows the configured key to the provider, as its own SDK would. Servers of other formats that have an
 * OpenAI-compatible side take the key there as OpenAI does.
 *
 * @param path the provider's path
 */
export function writeKeyHeader(
  { api, baseUrl }: Pick<Provider, 'api' | 'baseUrl'>,
  apiKey: string,
  operation: Operation | null,
  path: string,
): HeaderValues {
  if (azureHost.test(baseUrl.hostname)) return { 'api-key': apiKey };
  if (api === 'openai' || operation?.api === 'openai' || path.includes('/openai/')) {
    return { Authorization: `Bearer ${apiKey}` };
  }
  return api === 'anthropic' ? { 'x-api-key': apiKey } : { 'x-goog-api-key': apiKey };
}
