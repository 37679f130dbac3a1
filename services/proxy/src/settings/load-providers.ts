import {
  defaultPaths,
  findProvider,
  listProviders,
  type PathPattern,
  type PriceFile,
  parsePriceFile,
  parseProvidersFile,
} from '@agp/catalogue';
import { ConfigError, readSettingFile } from '@agp/runtime';
import { listSpellings, type Provider } from './provider.ts';
import { readProviderKey, readProviderKeys } from './provider-keys.ts';

/** Mistral reports usage unasked, and refuses to be asked (github.com/openai/openai-agents-python/issues/442). */
const refusesUsage = /(?:^|\.)mistral\.ai$/;

/**
 * The providers of the catalogue with their keys: those that `PROVIDERS_FILE` names, then those of the `PROVIDER_<ID>_API_KEY` variables.
 * @throws ConfigError naming the file or the variable, and never a key
 */
export function loadProviders(file: string | undefined, environment: NodeJS.ProcessEnv): Map<string, Provider> {
  const known = listProviders(readSettingFile('PROVIDERS_FILE', file, parseProvidersFile) ?? [], environment);
  const providers = new Map<string, Provider>();
  for (const { id, api, baseUrl, entry, place } of known.values()) {
    const keyFile = entry?.api_key_file;
    const isRefused = [baseUrl, entry?.base_url].some((url) => url && refusesUsage.test(url.hostname));
    providers.set(id, {
      id,
      api,
      baseUrl,
      basePath: baseUrl.pathname.replace(/\/$/, ''),
      asksForUsage: entry?.ask_usage ?? !isRefused,
      apiKey: keyFile ? readProviderKey(`PROVIDERS_FILE: ${place}: api_key_file`, keyFile) : null,
      allowPaths: entry?.allow_paths ?? null,
    });
  }
  for (const { id, variable, apiKey } of readProviderKeys(environment)) {
    const provider = findProvider(providers, id);
    if (provider === undefined) throw new ConfigError(`${variable}: no provider has the id ${id}`);
    provider.apiKey = apiKey;
  }
  for (const provider of providers.values()) {
    if (provider.apiKey !== null) provider.allowPaths ??= [defaultPaths];
    provider.allowPaths &&= provider.allowPaths.flatMap<PathPattern | typeof defaultPaths>((allowed) =>
      allowed === defaultPaths ? [allowed] : listSpellings(provider, allowed),
    );
  }
  return providers;
}

/**
 * An entry for a provider that is not configured would never hold.
 * @throws ConfigError naming the file, entry and field
 */
export function loadPrices(file: string | undefined, providers: ReadonlyMap<string, unknown>): PriceFile | null {
  const prices = readSettingFile('PRICES_FILE', file, parsePriceFile);
  const stray = prices?.entries.findIndex(({ provider }) => provider !== undefined && !providers.has(provider)) ?? -1;
  if (stray < 0) return prices;
  const { provider } = prices?.entries[stray] ?? {};
  throw new ConfigError(`PRICES_FILE: ${file}: ${stray}.provider: ${provider} is not a configured provider`);
}
