import {
  defaultPaths,
  findProvider,
  listProviders,
  nameEndpoint,
  type PathPattern,
  type PriceFile,
  parsePriceFile,
  parseProvidersFile,
  readBedrockRegion,
} from '@agp/catalogue';
import {
  ConfigError,
  isLoopbackAddress,
  type Logger,
  loadConfig,
  readSettingFile,
  type SettingFiles,
} from '@agp/runtime';
import { createEgress, direct, type Egress, EgressProxy } from '@agp/runtime/egress';
import { proxyConfigSchema } from '@agp/settings';
import { partition } from '@aws-sdk/core/client';
import type { z } from 'zod';
import { AwsIdentity } from './settings/aws-identity.ts';
import { MadeKey } from './settings/made-key.ts';
import { listSpellings, normalisePath, type Provider } from './settings/provider.ts';
import { ProviderKey, readProviderKeys } from './settings/provider-key.ts';
import { RoleKey } from './settings/role-key.ts';
import { SigningKey } from './settings/signing-key.ts';

/**
 * They report usage unasked, which is their agents' to see. Mistral refuses to be asked
 * (github.com/openai/openai-agents-python/issues/442).
 */
const tellsUsage =
  /(?:^|\.)(?:mistral|openrouter)\.ai$|^generativelanguage\.googleapis\.com$|(?:^|-)aiplatform\.(?:[a-z]+\.rep\.)?googleapis\.com$/;

/**
 * The providers of the catalogue with their keys: those that `PROVIDERS_FILE` names, then those of the `PROVIDER_<ID>_API_KEY` variables.
 * @throws ConfigError naming the file or the variable, and never a key
 */
export function loadProviders(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  egress: Egress = direct,
): Map<string, Provider> {
  const known = listProviders(readSettingFile('PROVIDERS_FILE', file, parseProvidersFile) ?? [], environment);
  const keys = new Map<string, ProviderKey>();
  for (const [id, apiKey] of readProviderKeys(environment)) {
    const provider = findProvider(known, id);
    if (provider === undefined) throw new ConfigError(`${apiKey.source}: no provider has the id ${id}`);
    keys.set(provider.id, apiKey);
  }
  let identity: AwsIdentity | null = null;
  const makeKey = (auth: 'role' | 'sign', at: string, region: string | undefined, other: ProviderKey | undefined) => {
    if (other !== undefined)
      throw new ConfigError(`${at}: auth: is ${auth}, which needs no other key: remove ${other.source}`);
    if (region === undefined) throw new ConfigError(`${at}: region: is not there, and auth: ${auth} signs for one`);
    try {
      identity ??= AwsIdentity.find(environment, region, egress);
    } catch (error) {
      throw new ConfigError(`${at}: auth: ${(error as Error).message}`);
    }
    return new (auth === 'role' ? RoleKey : SigningKey)(`${at}: auth`, region, identity);
  };
  const providers = new Map<string, Provider>();
  for (const { id, api, baseUrl, entry, place } of known.values()) {
    const source = `PROVIDERS_FILE: ${place}`;
    const isUnasked = [baseUrl, entry?.base_url].some((url) => url && tellsUsage.test(url.hostname));
    // Another address than the file's is not vouched for, and is the only one.
    const isMoved = entry?.base_url.host !== baseUrl.host;
    const endpoints = (!isMoved && entry?.endpoints) || [{ ...entry, base_url: baseUrl, name: undefined, weight: 1 }];
    const shared = {
      ...{ id, api, asksForUsage: entry?.ask_usage ?? !isUnasked },
      writesMetadata: entry?.request_metadata === true,
      allowsHostedAgents: entry?.hosted_agents === 'allow',
      harmlessMembers: entry?.harmless_members ?? [],
      profiles: new Map(Object.entries(entry?.profiles ?? {})),
      allowPaths: entry?.allow_paths ?? null,
    };
    const all = endpoints.map((each, index): Provider => {
      const isOnly = endpoints.length === 1;
      const at = isOnly ? source : `${source}: endpoints.${index}`;
      const ownFile = isOnly ? undefined : each.api_key_file;
      const keyFile = ownFile ?? (keys.has(id) ? undefined : entry?.api_key_file);
      const auth = entry?.auth;
      const given = () =>
        keyFile ? new ProviderKey(`${at}: api_key_file`, { file: keyFile }) : (keys.get(id) ?? null);
      return {
        ...shared,
        endpoints: [],
        endpoint: isOnly ? null : nameEndpoint(each),
        baseUrl: each.base_url,
        basePath: each.base_url.pathname.replace(/\/$/, ''),
        geo: (!isMoved && each.geo) || null,
        apiKey: auth === 'role' || auth === 'sign' ? makeKey(auth, at, each.region, keys.get(id)) : given(),
        proxy: findProxy(each.proxy ?? entry?.proxy, each.base_url, `${at}: proxy`, egress),
        weight: each.weight ?? 1,
      };
    });
    assureAlike(all, source);
    if (entry?.auth === 'bearer' && all[0]?.apiKey === null)
      throw new ConfigError(
        `${source}: auth: is bearer, and no key is configured: give api_key_file, or leave auth out`,
      );
    for (const each of all) {
      if (each.apiKey !== null) each.allowPaths ??= [defaultPaths];
      each.allowPaths &&= each.allowPaths.flatMap<PathPattern | typeof defaultPaths>((allowed) =>
        allowed === defaultPaths ? [allowed] : listSpellings(each, allowed),
      );
      each.endpoints = all.length === 1 ? [] : all;
    }
    providers.set(id, all[0] as Provider);
  }
  return providers;
}

function findProxy(given: string | undefined, { protocol, hostname, port }: URL, setting: string, egress: Egress) {
  if (given === undefined) return egress.find({ protocol, hostname, port });
  return given === 'none' ? null : new EgressProxy(given, setting);
}

/** A call that goes on to another endpoint keeps its path, and its caller's credentials or none. */
function assureAlike([first, ...others]: readonly Provider[], source: string): void {
  for (const [index, each] of others.entries()) {
    const refuse = (field: string, what: string) => {
      throw new ConfigError(`${source}: endpoints.${index + 1}.${field}: ${what}`);
    };
    if ((each.apiKey === null) !== (first?.apiKey === null))
      refuse('api_key_file', 'all endpoints have a key, or none has');
    if (['/v1/x', '/x'].some((path) => first && normalisePath(each, path) !== normalisePath(first, path)))
      refuse('base_url', 'must end with /v1 as the first one does, or as that does without');
  }
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

export type ProxyConfig = z.infer<typeof proxyConfigSchema> & {
  files?: SettingFiles;
  providers: ReturnType<typeof loadProviders>;
  prices: ReturnType<typeof loadPrices>;
};

/** @throws ConfigError naming the variable or the file that is at fault */
export function loadProxyConfig(environment: NodeJS.ProcessEnv): ProxyConfig {
  const config = loadConfig(proxyConfigSchema, environment);
  const providers = loadProviders(config.providersFile, environment, createEgress(config));
  guardProviderKeys(config, [...providers.values()]);
  return { ...config, providers, prices: loadPrices(config.pricesFile, providers) };
}

/** Whether other machines can connect and are believed whatever name they give. */
export function isOpenToOthers({ agentIdentity, host }: Pick<ProxyConfig, 'agentIdentity' | 'host'>): boolean {
  return agentIdentity === 'open' && !isLoopbackAddress(host);
}

/** Regions of Bedrock's hosts, and of what is signed, that AWS' SDK does not list: errors of typing, or newer than that. */
export function findStrangeRegions({ providers }: Pick<ProxyConfig, 'providers'>) {
  const all = [...providers.values()].flatMap((each) => [each, ...each.endpoints]);
  const regions = new Map(
    all.map(({ id, baseUrl, apiKey }) => [
      apiKey instanceof MadeKey ? apiKey.region : readBedrockRegion(baseUrl.hostname),
      id,
    ]),
  );
  return [...regions].flatMap(([region, provider]) =>
    region === null || 'description' in partition(region) ? [] : [{ provider, region }],
  );
}

export function logPrices(prices: PriceFile | null, logger: Logger): void {
  if (prices) logger.info({ entries: prices.entries.length, version: prices.version }, 'prices are read');
}

/** Says which prices are read, and warns of regions that AWS does not have and of an identity that is open to others. */
export function logConfig(config: ProxyConfig, logger: Logger): void {
  logPrices(config.prices, logger);
  for (const found of findStrangeRegions(config))
    logger.warn(found, 'AWS has no such region, as far as its SDK in this release knows');
  if (!isOpenToOthers(config)) return;
  logger.warn(
    { host: config.host },
    'AGENT_IDENTITY=open: whoever reaches this port may call itself any agent, and leave a block or a cap behind; set it to token',
  );
}

/** Anybody who can connect could use the company's keys under any name. */
function guardProviderKeys(config: z.infer<typeof proxyConfigSchema>, providers: Provider[]): void {
  if (!isOpenToOthers(config) || config.allowOpenProviderKeys) return;
  const withKey = providers.filter(({ apiKey }) => apiKey !== null).map(({ id }) => id);
  if (withKey.length === 0) return;
  throw new ConfigError(
    `AGENT_IDENTITY: open lets everybody who reaches HOST use the key of ${withKey.join(', ')}: set it to token, ` +
      'HOST to a loopback address, or ALLOW_OPEN_PROVIDER_KEYS to true',
  );
}
