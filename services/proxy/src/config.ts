import {
  ConfigError,
  commonFields,
  drainDelayField,
  isLoopbackAddress,
  loadConfig,
  portField,
  shutdownGraceField,
  tracingFields,
  trustProxyField,
} from '@agp/runtime';
import { z } from 'zod';
import { loadPrices } from './settings/load-prices.ts';
import { loadProviders, type Provider } from './settings/load-providers.ts';

const positive = z.coerce.number().int().min(1);

/** The proxy's variables, each in upper snake case. */
export const proxyConfigSchema = z.object({
  ...commonFields,
  ...tracingFields,
  proxyPort: portField.default(8080),
  host: z.string().default('0.0.0.0'),
  opsPort: portField.default(9080),
  /** How an agent is identified: `open` believes the name it declares, `token` requires an agent token. */
  agentIdentity: z.enum(['open', 'token']).default('open'),
  /** Whether `open` may be combined with provider keys when other machines can connect. */
  allowOpenProviderKeys: z.stringbool().default(false),
  /** Whether running requests are ended when their agent is blocked, or all are paused. */
  killRunning: z.stringbool().default(true),
  /** `strict` reserves a true upper bound, and refuses capped requests while Redis is away. */
  budget: z.enum(['available', 'strict']).default('available'),
  /** Output tokens to reserve for a request without a bound. */
  budgetDefaultOutputTokens: positive.default(4_096),
  /** The amount to reserve for a request whose price is not known, in USD. */
  budgetUnpricedUsd: z.coerce.number('must be a number').min(0).max(1_000).default(0.01),
  trustProxy: trustProxyField,
  providersFile: z.string().optional(),
  pricesFile: z.string().optional(),
  sessionIdleSeconds: positive.default(1_800),
  maxRegistrationsPerMinute: positive.default(600),
  maxRequestBytes: positive.default(32 * 1024 * 1024),
  /** Request bodies held in memory by this process at once, in bytes. */
  maxBufferedBytes: positive.default(512 * 1024 * 1024),
  /** Those of one agent; a quarter of all if not given. */
  maxBufferedBytesPerAgent: positive.optional(),
  /** An agent has this long to send a request's body, in seconds. */
  maxBodySeconds: positive.default(300),
  /** An agent that sends less of a body than this, over half a minute, is given up. */
  minBodyBytesPerSecond: positive.default(1_024),
  /** Connections of agents, and requests that are served at once. */
  maxConnections: positive.default(10_000),
  upstreamTimeoutSeconds: positive.default(600),
  /** When no more events can be held: `available` lets requests through, `strict` refuses them. */
  audit: z.enum(['available', 'strict']).default('available'),
  /** Whether the texts of agents and models are searched for PII. */
  piiScan: z.enum(['on', 'off']).default('on'),
  /** Whether names of persons are looked for too. */
  piiPersonNames: z.stringbool().default(false),
  /** How long the texts of one request may be scanned, in milliseconds; the rest is then not scanned. */
  piiBudgetMs: positive.default(2_000),
  auditDirections: z.enum(['response', 'both']).default('response'),
  /** How long requests are still accepted after SIGTERM, while `/readyz` says that they should go elsewhere. */
  drainDelaySeconds: drainDelayField,
  /** How long running requests may go on after that. */
  shutdownGraceSeconds: shutdownGraceField(25),
});

export type ProxyConfig = z.infer<typeof proxyConfigSchema> & {
  providers: ReturnType<typeof loadProviders>;
  prices: ReturnType<typeof loadPrices>;
};

/** Reads the proxy's configuration. Throws ConfigError naming the variable or the file that is at fault. */
export function loadProxyConfig(environment: NodeJS.ProcessEnv): ProxyConfig {
  const config = loadConfig(proxyConfigSchema, environment);
  const providers = loadProviders(config.providersFile, environment);
  guardProviderKeys(config, [...providers.values()]);
  return { ...config, providers, prices: loadPrices(config.pricesFile, providers) };
}

/** Whether other machines can connect and are believed whatever name they give. */
export function isOpenToOthers({ agentIdentity, host }: Pick<ProxyConfig, 'agentIdentity' | 'host'>): boolean {
  return agentIdentity === 'open' && !isLoopbackAddress(host);
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
