import { isPrintableText } from '@agp/core/contracts';
import { webhookSecret } from '@agp/core/text';
import {
  commonFields,
  drainDelayField,
  hostsField,
  portField,
  shutdownGraceField,
  storageTimeoutField,
  tracingFields,
  trustProxyField,
} from '@agp/runtime';
import { egressFields } from '@agp/runtime/egress';
import { z } from 'zod';

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
