import { readFileSync } from 'node:fs';
import { agentTokenPrefix } from '@agp/core/contracts';
import { dialects, type Operation } from '@agp/metering';
import { ConfigError } from '@agp/runtime';
import type { HeaderValues } from '../exchange.ts';
import type { Provider } from './provider.ts';

const credentialParameter = /^\$?(?:key|api[-_]?key|access_token|oauth_token|subscription-key)$/i;

export const isCredentialParameter = (name: string): boolean => credentialParameter.test(name);

const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/;

/**
 * The configured key as the provider's own SDK would send it; on OpenAI-compatible paths of other servers as to OpenAI.
 */
export function writeKeyHeader(
  { api, baseUrl }: Pick<Provider, 'api' | 'baseUrl'>,
  apiKey: string,
  operation: Operation | null,
  path: string,
): HeaderValues {
  if (azureHost.test(baseUrl.hostname)) return { 'api-key': apiKey };
  const isCompatible = operation?.api === 'openai' || path.includes('/openai/');
  return dialects[isCompatible ? 'openai' : api].keyHeader(apiKey);
}

interface NamedProviderKey {
  /** In lower case; `_` may stand for a dash. */
  id: string;
  variable: string;
  apiKey: string;
}

/** Keys of this product, which no provider may see. */
const ownKey = new RegExp(`^(?:${agentTokenPrefix}|agm_)`);

function checkKey(source: string, key: string): string {
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) {
    throw new ConfigError(`${source}: must hold a key: printable ASCII without spaces, in one line`);
  }
  if (ownKey.test(key)) throw new ConfigError(`${source}: holds a key of this product, not a provider's`);
  return key;
}

/** @throws ConfigError naming the variable and the file, never its content */
export function readProviderKey(source: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${source}: cannot read ${file}`);
  }
  return checkKey(`${source}: ${file}`, text);
}

/**
 * From `PROVIDER_<ID>_API_KEY` and the files of `PROVIDER_<ID>_API_KEY_FILE`, which win.
 * @throws ConfigError naming the variable, never its value
 */
export function readProviderKeys(environment: NodeJS.ProcessEnv): NamedProviderKey[] {
  const keys = new Map<string, NamedProviderKey>();
  for (const [variable, value] of Object.entries(environment)) {
    const [, name, inFile] = /^PROVIDER_([A-Z0-9_]+?)_API_KEY(_FILE)?$/.exec(variable) ?? [];
    if (name === undefined || !value) continue;
    const id = name.toLowerCase();
    if (inFile) keys.set(id, { id, variable, apiKey: readProviderKey(variable, value) });
    else if (!keys.has(id)) keys.set(id, { id, variable, apiKey: checkKey(variable, value.trim()) });
  }
  return [...keys.values()];
}
