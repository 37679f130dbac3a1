import { ConfigError } from '@agp/core/errors';
import { geos } from '@agp/core/geos';
import { JsonError, parseJson } from '@agp/core/json';
import { type ProviderApi, providerApis } from '@agp/core/operations';
import { toLineText } from '@agp/core/text';
import { z } from 'zod';
import { placeOnBedrock, regionForm } from './bedrock-place.ts';

/** What is built in for each format: where its own provider answers, if it is one place, and the library's id of the vendor. */
export const builtInProviders: Readonly<Record<ProviderApi, { baseUrl?: string; vendor: string }>> = {
  openai: { baseUrl: 'https://api.openai.com', vendor: 'openai' },
  anthropic: { baseUrl: 'https://api.anthropic.com', vendor: 'anthropic' },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com', vendor: 'google' },
  bedrock: { vendor: 'aws' },
};

export interface PathPattern {
  /** Null for every method. */
  method: string | null;
  path: string;
  isPrefix: boolean;
}

/** The entry of `allow_paths` for the paths that are allowed without one. */
export const defaultPaths = 'default';

const pattern = /^(?:([A-Z]+) )?(\/[\x21-\x7e]*)$/;

/** Parses `/path`, `/path*`, `METHOD /path` or `METHOD /path*`; null for anything else. */
export function parsePathPattern(text: string): PathPattern | null {
  const [, method = null, path = ''] = pattern.exec(text) ?? [];
  if (path === '' || /[?#]|\*./.test(path)) return null;
  const isPrefix = path.endsWith('*');
  return { method, path: isPrefix ? path.slice(0, -1) : path, isPrefix };
}

const providerId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _')
  .refine((id) => id !== 'agents', 'agents is reserved');

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((text) => new URL(text))
  .refine(
    (url) => !url.username && !url.password && !url.search && !url.hash,
    'must hold no credentials, query or hash',
  );

const allowedPath = z.string().transform((text, context) => {
  const parsed = text === defaultPaths ? defaultPaths : parsePathPattern(text);
  if (parsed !== null) return parsed;
  context.addIssue(`must be ${defaultPaths}, /path, /path*, or one of these two behind a method and a space`);
  return z.NEVER;
});

/** By which proxy calls leave, in place of what the environment says. */
const proxy = z
  .string()
  .refine((text) => text === 'none' || isProxyUrl(text), 'must be none, or the http or https URL of a proxy');

function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname + url.search + url.hash !== '/') return false;
  return !/%(?![\da-f]{2})/i.test(url.username + url.password);
}

/** What calls go to. */
const place = {
  geo: z.enum(geos, `must be one of ${geos.join(', ')}`).optional(),
  /** Of AWS. */
  region: z.string().regex(regionForm, 'must be a region of AWS, such as eu-central-1').optional(),
  api_key_file: z.string().min(1).optional(),
  proxy: proxy.optional(),
};

/** A second key or region of the same models. */
const endpoint = z.strictObject({
  base_url: baseUrl.optional(),
  ...place,
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, 'must be up to 64 letters, digits and . _ : -')
    .optional(),
  /** 0 stands by for the others. */
  weight: z.number().min(0).max(1_000).optional(),
});

const providersFileSchema = z.array(
  z
    .strictObject({
      id: providerId,
      api: z.enum(providerApis, `must be one of ${providerApis.join(', ')}`),
      base_url: baseUrl.optional(),
      endpoints: z.array(endpoint).min(2, 'must be two or more: for one there is base_url').max(16).optional(),
      /** By which key: one that is configured, one that the pod's identity makes, or that identity's signature. */
      auth: z.enum(['bearer', 'role', 'sign'], 'must be bearer, role or sign').optional(),
      /** Of Bedrock's applications: ARNs, each with the model that it is for. */
      profiles: z.record(z.string(), z.string()).optional(),
      ask_usage: z.boolean().optional(),
      request_metadata: z.boolean().optional(),
      ...place,
      hosted_agents: z.enum(['refuse', 'allow']).optional(),
      harmless_members: z.array(z.string().min(1).max(128)).max(100).optional(),
      allow_paths: z.array(allowedPath).min(1, 'must allow something').optional(),
    })
    .transform((given, context) => {
      const refuse = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path, message });
      const entry = placeOnBedrock(given, refuse);
      const endpoints = entry.endpoints?.map((each, index) => {
        if (each.base_url === undefined) refuse(['endpoints', index, 'base_url'], 'is not there');
        return { ...each, base_url: each.base_url as URL };
      });
      const url = entry.base_url ?? endpoints?.[0]?.base_url;
      if (url === undefined && endpoints === undefined)
        refuse(['base_url'], `is not there, nor endpoints${entry.api === 'bedrock' ? ', nor region' : ''}`);
      if (context.issues.length > 0) return z.NEVER;
      if (endpoints !== undefined) {
        for (const name of ['base_url', 'geo', 'region'] as const)
          if (given[name] !== undefined) refuse([name], 'stands in each of the endpoints, if there are any');
        const names = endpoints.map(nameEndpoint);
        const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
        if (twice >= 0)
          refuse(['endpoints', twice, 'name'], `must be another than ${names[twice]}, which one before it has`);
      }
      return { ...entry, endpoints, base_url: url as URL };
    }),
);

type ProviderEntry = z.infer<typeof providersFileSchema>[number];
type EndpointEntry = NonNullable<ProviderEntry['endpoints']>[number];

/** What events call an endpoint. */
export const nameEndpoint = ({ name, base_url: { host } }: Pick<EndpointEntry, 'name' | 'base_url'>): string =>
  (name ?? host).slice(0, 64);

interface KnownProvider {
  id: string;
  api: ProviderApi;
  baseUrl: URL;
  /** What PROVIDERS_FILE has of it, and which entry that is. */
  entry?: ProviderEntry;
  place?: string;
}

const nameEntry = (index: number, id: unknown): string =>
  typeof id === 'string' ? `[${index}] ("${toLineText(id, 64)}")` : `[${index}]`;

/** @throws ConfigError naming the entry, counted from 0, and the field */
export function parseProvidersFile(text: string): ProviderEntry[] {
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    const at = error instanceof JsonError && error.at !== null ? ` (${error.at})` : '';
    throw new ConfigError(`${(error as Error).message}${at}`);
  }
  const parsed = providersFileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [index, ...field] = issue?.path ?? [];
  if (typeof index !== 'number') throw new ConfigError(issue?.message);
  const entry = nameEntry(index, (content as { id?: unknown }[])[index]?.id);
  throw new ConfigError([entry, field.join('.'), issue?.message].filter(Boolean).join(': '));
}

/** @param id in a variable, in which `_` may stand for a dash */
export function findProvider<Provider>(providers: ReadonlyMap<string, Provider>, id: string): Provider | undefined {
  return providers.get(id) ?? providers.get(id.replaceAll('_', '-'));
}

/**
 * Built-in providers, then the entries of PROVIDERS_FILE, then the `PROVIDER_<ID>_URL` variables, each overriding the ones before. An id
 * that only a variable names speaks the format of that name, else OpenAI's.
 * @throws ConfigError naming the variable
 */
export function listProviders(
  entries: readonly ProviderEntry[],
  environment: Readonly<Record<string, string | undefined>>,
): Map<string, KnownProvider> {
  const providers = new Map<string, KnownProvider>();
  for (const api of providerApis) {
    const { baseUrl: url } = builtInProviders[api];
    if (url !== undefined) providers.set(api, { id: api, api, baseUrl: new URL(url) });
  }
  for (const [index, entry] of entries.entries()) {
    const { id, api, base_url: url } = entry;
    providers.set(id, { id, api, baseUrl: url, entry, place: nameEntry(index, id) });
  }
  for (const [name, value] of Object.entries(environment)) {
    const given = /^PROVIDER_([A-Z0-9_]+)_URL$/.exec(name)?.[1]?.toLowerCase();
    if (given === undefined || !value) continue;
    const [id, url] = [providerId.safeParse(given), baseUrl.safeParse(value)];
    if (!id.success || !url.success) throw new ConfigError(`${name}: ${(id.error ?? url.error)?.issues[0]?.message}`);
    const known = findProvider(providers, given) ?? {
      id: given,
      api: providerApis.find((api) => api === given) ?? 'openai',
    };
    providers.set(known.id, { ...known, baseUrl: url.data });
  }
  return providers;
}
