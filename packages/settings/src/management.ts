import type { BilledProvider } from '@agp/core/contracts';
import {
  commonFields,
  drainDelayField,
  hostsField,
  isLoopbackName,
  portField,
  readHostName,
  type SettingFiles,
  shutdownGraceField,
  storageTimeoutField,
  trustProxyField,
} from '@agp/runtime';
import { egressFields } from '@agp/runtime/egress';
import { z } from 'zod';
import { grantsSchema } from './grants.ts';

/** Over plain HTTP only what stays on this machine. */
const isSafeUrl = (url: URL) =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackName(readHostName(url.host)));

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && isSafeUrl(url);
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isSafeUrl(url) && url.search === '' && url.hash === '' && url.username === '';
}

const consoleFields = {
  consoleOrigin: z
    .string()
    .refine(isOrigin, 'must be an origin such as https://agp.example, with https unless it names this machine')
    .optional()
    .describe(
      'where browsers reach the [console](console.md), such as `https://agp.example`; unset is `localhost` alone',
    ),
  consoleProxyAddress: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("where agents reach the proxy, for the console's examples"),
  oidcIssuer: z
    .string()
    .max(512)
    .refine(isIssuer, 'must be a URL with https')
    .optional()
    .describe('the provider that people [sign in with](console.md#openid-connect)'),
  oidcClientId: z.string().max(512).optional().describe('our client id there'),
  oidcClientSecret: z.string().max(4_096).optional().describe('its secret; without one, PKCE alone'),
  oidcScope: z.string().max(512).default('openid profile email').describe('what it is asked for'),
  oidcRoleClaim: z.string().max(512).default('roles').describe('the claim that has the role'),
  oidcRoles: z
    .string()
    .max(16_384)
    .pipe(grantsSchema)
    .optional()
    .describe(
      'its values for each role, such as `agp-admins=admin,on-call=operator,search-leads=admin@team=search` ' +
        '([of a team](console.md#openid-connect)); unset if they are the roles',
    ),
};

const billingKey = (whose: string) =>
  z
    .string()
    .min(8)
    .max(4_096)
    .optional()
    .describe(`the key of an administrator of ${whose}: its bill is [compared each night](people/finance.md)`);
const billingAddress = z
  .string()
  .refine((text) => isIssuer(text) && !text.endsWith('/'), 'must be a URL with https, without a slash at its end')
  .optional()
  .describe('another address of that API');

const billingFields = {
  billingOpenaiKey: billingKey('OpenAI'),
  billingOpenaiAddress: billingAddress,
  billingAnthropicKey: billingKey('Anthropic'),
  billingAnthropicAddress: billingAddress,
};

/** The settings by which a provider's bill is read. */
export const billingSettings = {
  openai: { key: 'billingOpenaiKey', address: 'billingOpenaiAddress' },
  anthropic: { key: 'billingAnthropicKey', address: 'billingAnthropicAddress' },
} as const satisfies Record<BilledProvider, Record<'key' | 'address', keyof typeof billingFields>>;

type Settings = { [Field in keyof typeof consoleFields]?: z.infer<(typeof consoleFields)[Field]> };

/** The first thing that is missing for signing in with a provider, or null. */
export function findOidcFault({ oidcIssuer, oidcClientId, consoleOrigin }: Settings): string | null {
  if (oidcIssuer === undefined) return null;
  if (oidcClientId === undefined) return 'OIDC_CLIENT_ID: is not set, but OIDC_ISSUER is';
  if (consoleOrigin === undefined) return 'CONSOLE_ORIGIN: is not set, but OIDC_ISSUER is';
  return null;
}

/** Each variable in upper snake case; the descriptions are the table of docs/configuration.md. */
export const managementConfigSchema = z.object({
  ...commonFields,
  host: z.string().default('0.0.0.0').describe('the address to listen on'),
  managementPort: portField.default(8081).describe('for operations teams; 0 takes a free port'),
  opsPort: portField.default(9081).describe('health and metrics, without authentication: keep it off the ingress'),
  managementApiKey: z.string().min(16).describe('the key `bootstrap`, with every scope; at least 16 characters'),
  storageTimeoutMs: storageTimeoutField.default(5_000).describe('longest statement in Postgres'),
  maxStreamsPerKey: z.coerce.number().int().min(1).default(50).describe('live streams of an API key on each process'),
  edition: z.enum(['extended', 'base']).default('extended').describe('`base` leaves the session index out'),
  pricesFile: z.string().optional().describe("the proxies' file, for the [list of prices](api.md#costs)"),
  providersFile: z.string().optional().describe('the same; addresses alone are read'),
  ...consoleFields,
  identityAllowedHosts: hostsField.describe(
    'hosts, with their ports if they are others, whose [keys](identities.md#keys) are read though they are private or have no TLS',
  ),
  notificationAllowedHosts: hostsField.describe(
    'hosts, with their ports if they are others, that [alerts](alerts.md#targets) may go to though they are private or have no TLS',
  ),
  smtpUrl: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('the mail server of [alerts](alerts.md#targets), such as `smtps://user:password@mail.example`'),
  smtpFrom: z.string().max(320).default('agp@localhost').describe('the sender of those mails'),
  ...billingFields,
  ...egressFields,
  trustProxy: trustProxyField.describe('hops, or networks separated by commas, whose `X-Forwarded-For` counts'),
  drainDelaySeconds: drainDelayField.describe('[stopping](#stopping): accept requests this long'),
  shutdownGraceSeconds: shutdownGraceField(10).describe('then let running ones go on this long'),
});

export type ManagementConfig = z.infer<typeof managementConfigSchema> & { files?: SettingFiles };
