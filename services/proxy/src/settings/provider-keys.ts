import { dialects, type Operation } from '@agp/metering';
import type { HeaderValues } from '../exchange.ts';
import type { Provider } from './provider.ts';
import type { ProviderKey } from './provider-key.ts';

const credentialParameter =
  /^\$?(?:key|api[-_]?key|access_token|oauth_token|subscription-key|x-amz-(?:credential|signature|security-token))$/i;

export const isCredentialParameter = (name: string): boolean => credentialParameter.test(name);

const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/**
 * The configured key as the provider's own SDK would send it; on OpenAI-compatible paths of other servers as to OpenAI.
 * @returns no header of one that is not sent, or not there
 */
export function writeKeyHeader(
  {
    api,
    baseUrl,
    apiKey,
  }: Pick<Provider, 'api' | 'baseUrl'> & { apiKey: Pick<ProviderKey, 'value' | 'isSent'> | null },
  operation: Operation | null,
  path: string,
): HeaderValues {
  if (!apiKey?.isSent) return {};
  if (azureHost.test(baseUrl.hostname)) return { 'api-key': apiKey.value };
  const isCompatible = operation?.api === 'openai' || path.includes('/openai/');
  return dialects[isCompatible ? 'openai' : api].keyHeader(apiKey.value);
}
