import {
  defaultPaths,
  findProvider,
  listProviders,
  nameEndpoint,
  type PathPattern,
  type PriceFile,
  parsePriceFile,
  parseProvidersFile,
} from '@agp/catalogue';
import { isPrintableText } from '@agp/core/contracts';
import { webhookSecret } from '@agp/core/text';
import {
  ConfigError,
  commonFields,
  drainDelayField,
  hostsField,
  isLoopbackAddress,
  type Logger,
  loadConfig,
  portField,
  readSettingFile,
  type SettingFiles,
  shutdownGraceField,
  storageTimeoutField,
  tracingFields,
  trustProxyField,
} from '@agp/runtime';
import { createEgress, direct, type Egress, EgressProxy, egressFields } from '@agp/runtime/egress';
import { z } from 'zod';
import { listSpellings, normalisePath, type Provider } from './settings/provider.ts';
import { ProviderKey, readProviderKeys } from './settings/provider-key.ts';

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
  const providers = new Map<string, Provider>();
  for (const { id, api, baseUrl, entry, place } of known.values()) {
    const source = `PROVIDERS_FILE: ${place}`;
    const isUnasked = [baseUrl, entry?.base_url].some((url) => url && tellsUsage.test(url.hostname));
    // Another address than the file's is not vouched for, and is the only one.
    const isMoved = entry?.base_url.host !== baseUrl.host;
    const endpoints = (!isMoved && entry?.endpoints) || [{ ...entry, base_url: baseUrl, name: undefined, weight: 1 }];
    const shared = {
      ...{ id, api, asksForUsage: entry?.ask_usage ?? !isUnasked },
      allowsHostedAgents: entry?.hosted_agents === 'allow',
      harmlessMembers: entry?.harmless_members ?? [],
      allowPaths: entry?.allow_paths ?? null,
    };
    const all = endpoints.map((each, index): Provider => {
      const isOnly = endpoints.length === 1;
      const at = isOnly ? source : `${source}: endpoints.${index}`;
      const ownFile = isOnly ? undefined : each.api_key_file;
      const keyFile = ownFile ?? (keys.has(id) ? undefined : entry?.api_key_file);
      return {
        ...shared,
        endpoints: [],
        endpoint: isOnly ? null : nameEndpoint(each),
        baseUrl: each.base_url,
        basePath: each.base_url.pathname.replace(/\/$/, ''),
        geo: (!isMoved && each.geo) || null,
        apiKey: keyFile ? new ProviderKey(`${at}: api_key_file`, { file: keyFile }) : (keys.get(id) ?? null),
        proxy: findProxy(each.proxy ?? entry?.proxy, each.base_url, `${at}: proxy`, egress),
        weight: each.weight ?? 1,
      };
    });
    assureAlike(all, source);
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

const positive = z.coerce.number().int().min(1);

/** The proxy's variables, each in upper snake case; the descriptions are the table of docs/configuration.md. */
export const proxyConfigSchema = z.object({
  ...commonFields,
  proxyPort: portField.default(8080).describe('for agents; 0 takes a free port'),
  host: z.string().default('0.0.0.0').describe('the address to listen on'),
  opsPort: portField.default(9080).describe('health and metrics, without authentication: keep it off the ingress'),
  agentIdentity: z
    .enum(['open', 'token'])
    .default('open')
    .describe('`token` requires [agent tokens](proxy.md#who-an-agent-is)'),
  identityAllowedHosts: hostsField.describe(
    'hosts, with their ports if they are others, whose [keys](identities.md#keys) are read though they are private or have no TLS',
  ),
  checkSecret: z
    .string()
    .default('')
    .transform((text) => text.split(/\s+/).filter(Boolean))
    .refine(
      (secrets) => secrets.every((secret) => webhookSecret.test(secret)),
      'must be whsec_ and 24 to 64 bytes in Base64',
    )
    .describe(
      'signs what [checks](checks.md) get: `whsec_...`; several, with spaces between them, while one replaces another',
    ),
  checkAllowedHosts: hostsField.describe(
    'hosts, with their ports if they are others, whose [checks](checks.md) are asked though they are private or have no TLS',
  ),
  allowOpenProviderKeys: z
    .stringbool()
    .default(false)
    .describe('`true` allows provider keys with open identity beyond loopback: all who reach the proxy use your keys'),
  killRunning: z.stringbool().default(true).describe('end running requests of blocked or paused agents'),
  budget: z
    .enum(['available', 'strict'])
    .default('available')
    .describe('`strict` reserves the [most a request can cost](proxy.md#strict-caps), and needs Redis'),
  storageTimeoutMs: storageTimeoutField.default(900).describe('longest wait for Postgres, before and after the body'),
  ...egressFields,
  trustProxy: trustProxyField.describe('hops, or networks separated by commas, whose `X-Forwarded-For` counts'),
  refusalContact: z
    .string()
    .refine((text) => isPrintableText(text, 200), 'must be at most 200 printable characters')
    .optional()
    .describe('whom [refusals](proxy.md#what-it-refuses) tell agents to ask, such as `#ai-gov`'),
  refusalTellsWhy: z
    .stringbool()
    .default(false)
    .describe('`true` tells a blocked or paused agent also who stopped it, and the reason given'),
  providersFile: z.string().optional().describe('[providers](#providers)'),
  pricesFile: z.string().optional().describe('[prices](#prices)'),
  sessionIdleSeconds: positive.default(1_800).describe('idle time that ends a session without an id'),
  maxRegistrationsPerMinute: positive.default(600).describe('new agents from one address'),
  maxRequestBytes: positive.default(32 * 1024 * 1024).describe('largest request body'),
  maxBufferedBytes: positive
    .default(512 * 1024 * 1024)
    .describe(
      'bodies in memory, [shared](proxy.md#shares) by agents, a quarter for each; at least four times `MAX_REQUEST_BYTES`',
    ),
  maxBodySeconds: positive.default(300).describe('longest time for a body'),
  minBodyBytesPerSecond: positive.default(1_024).describe('least rate over half a minute'),
  maxConnections: positive
    .default(10_000)
    .describe('connections, and requests at once, [shared](proxy.md#shares) by agents'),
  idleConnectionSeconds: positive
    .default(75)
    .describe(
      'how long idle connections are kept: longer than [your balancer](deploy.md#another-ingress-controller) does',
    ),
  upstreamTimeoutSeconds: positive.default(600).describe('longest silence of a provider'),
  audit: z
    .enum(['available', 'strict'])
    .default('available')
    .describe('if the event queue is full, `available` drops events, `strict` refuses requests'),
  piiScan: z.enum(['on', 'off']).default('on').describe('or `off`'),
  piiPersonNames: z.stringbool().default(false).describe('also look for [names](pii.md#how-good-it-is)'),
  piiBudgetMs: positive.default(2_000).describe('search time a request'),
  piiHashKey: z
    .string()
    .min(32)
    .optional()
    .describe(
      'secret key of [labels and hashes](policies.md#data) that stand for personal data, the same for all proxies',
    ),
  auditDirections: z
    .enum(['response', 'both'])
    .default('response')
    .describe('`both` also records a `request` event at ingress'),
  drainDelaySeconds: drainDelayField.describe('[stopping](#stopping): accept requests this long'),
  shutdownGraceSeconds: shutdownGraceField(25).describe('then let running ones go on this long'),
  ...tracingFields,
});

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

export function logPrices(prices: PriceFile | null, logger: Logger): void {
  if (prices) logger.info({ entries: prices.entries.length, version: prices.version }, 'prices are read');
}

/** Says which prices are read, and warns of an identity that is open to others. */
export function logConfig(config: ProxyConfig, logger: Logger): void {
  logPrices(config.prices, logger);
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
