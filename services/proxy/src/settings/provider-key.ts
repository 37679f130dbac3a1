import type { Operation } from '@agp/metering';
import type { HeaderValues } from '../answer/forwarded-headers.ts';
import type { Provider } from './provider.ts';

/** Headers for callers' own credentials. `Cookie` and `Proxy-*` are never forwarded anyway. */
const credentialHeaders = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-goog-iam-authorization-token',
  'ocp-apim-subscription-key',
]);
const credentialParameter = /^\$?(?:key|api[-_]?key|access_token|oauth_token|subscription-key)$/i;

/** Whether a header, by its lower-case name, holds a credential of the caller. */
export const isCredentialHeader = (name: string): boolean => credentialHeaders.has(name);

/** Whether a query parameter holds a credential of the caller. */
export const isCredentialParameter = (name: string): boolean => credentialParameter.test(name);

/** Azure's resources have their own header for a key. */
const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/**
 * The header with the configured key, as the provider's own SDK would send it. On the OpenAI-compatible paths of other servers the
 * key is sent as to OpenAI.
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
