import { readFileSync } from 'node:fs';
import { type PriceFile, PriceFileError, parsePriceFile } from '@agp/catalogue';
import { JsonError, parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import { ConfigError } from '@agp/runtime';
import { z } from 'zod';
import { defaultPaths, listSpellings, type PathPattern, type Provider, parsePathPattern } from './provider.ts';
import { readProviderKey, readProviderKeys } from './provider-keys.ts';

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

const providersFileSchema = z.array(
  z.strictObject({
    id: providerId,
    api: z.enum(['openai', 'anthropic', 'gemini'], 'must be one of openai, anthropic, gemini'),
    base_url: baseUrl,
    ask_usage: z.boolean().optional(),
    api_key_file: z.string().min(1).optional(),
    allow_paths: z.array(allowedPath).min(1, 'must allow something').optional(),
  }),
);

/** Mistral reports usage unasked, and refuses to be asked (github.com/openai/openai-agents-python/issues/442). */
const refusesUsage = /(?:^|\.)mistral\.ai$/;

const builtIn: [string, Provider['api'], string][] = [
  ['openai', 'openai', 'https://api.openai.com'],
  ['anthropic', 'anthropic', 'https://api.anthropic.com'],
  ['gemini', 'gemini', 'https://generativelanguage.googleapis.com'],
];

/**
 * Built-in providers, then those of the JSON file, then the `PROVIDER_<ID>_*` variables, each overriding the ones before. An id that only
 * a URL variable names speaks the OpenAI format.
 * @throws ConfigError naming the file or the variable, and never a key
 */
export function loadProviders(file: string | undefined, environment: NodeJS.ProcessEnv): Map<string, Provider> {
  const providers = new Map<string, Provider>();
  const set = (id: string, api: Provider['api'], baseUrl: URL, more: Partial<Provider> = {}) => {
    const basePath = baseUrl.pathname.replace(/\/$/, '');
    const asksForUsage = !refusesUsage.test(baseUrl.hostname);
    providers.set(id, { id, api, baseUrl, basePath, asksForUsage, apiKey: null, allowPaths: null, ...more });
  };
  const find = (id: string) => providers.get(id) ?? providers.get(id.replaceAll('_', '-'));
  for (const [id, api, url] of builtIn) set(id, api, new URL(url));
  for (const [index, entry] of (file ? readProvidersFile(file) : []).entries()) {
    const source = `PROVIDERS_FILE: ${nameEntry(index, entry.id)}: api_key_file`;
    const apiKey = entry.api_key_file ? readProviderKey(source, entry.api_key_file) : null;
    const asks = entry.ask_usage === undefined ? {} : { asksForUsage: entry.ask_usage };
    set(entry.id, entry.api, entry.base_url, { apiKey, allowPaths: entry.allow_paths ?? null, ...asks });
  }
  for (const [name, value] of Object.entries(environment)) {
    const id = /^PROVIDER_([A-Z0-9_]+)_URL$/.exec(name)?.[1]?.toLowerCase();
    if (id === undefined || !value) continue;
    const checkedId = providerId.safeParse(id);
    const checkedUrl = baseUrl.safeParse(value);
    if (!checkedId.success || !checkedUrl.success) {
      throw new ConfigError(`${name}: ${(checkedId.error ?? checkedUrl.error)?.issues[0]?.message}`);
    }
    const known = find(id);
    const refuses = known?.asksForUsage === false ? { asksForUsage: false } : {};
    const kept = known && { apiKey: known.apiKey, allowPaths: known.allowPaths, ...refuses };
    set(known?.id ?? id, known?.api ?? 'openai', checkedUrl.data, kept);
  }
  for (const { id, variable, apiKey } of readProviderKeys(environment)) {
    const provider = find(id);
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

function nameEntry(index: number, id: unknown): string {
  return typeof id === 'string' ? `[${index}] ("${toLineText(id, 64)}")` : `[${index}]`;
}

function readProvidersFile(file: string): z.infer<typeof providersFileSchema> {
  let content: unknown;
  try {
    content = parseJson(readFileSync(file));
  } catch (error) {
    const at = error instanceof JsonError && error.at !== null ? ` (${error.at})` : '';
    throw new ConfigError(`PROVIDERS_FILE: cannot read ${file}: ${(error as Error).message}${at}`);
  }
  const parsed = providersFileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [index, ...field] = issue?.path ?? [];
  if (typeof index !== 'number') throw new ConfigError(`PROVIDERS_FILE: ${file}: ${issue?.message}`);
  const entry = nameEntry(index, (content as { id?: unknown }[])[index]?.id);
  throw new ConfigError(`PROVIDERS_FILE: ${[entry, field.join('.'), issue?.message].filter(Boolean).join(': ')}`);
}

/**
 * An entry for a provider that is not configured would never hold.
 * @throws ConfigError naming the file, entry and field
 */
export function loadPrices(file: string | undefined, providers: ReadonlyMap<string, unknown>): PriceFile | null {
  if (file === undefined) return null;
  const prices = parseFile(file);
  const stray = prices.entries.findIndex(({ provider }) => provider !== undefined && !providers.has(provider));
  if (stray < 0) return prices;
  const { provider } = prices.entries[stray] ?? {};
  throw new ConfigError(`PRICES_FILE: ${file}: ${stray}.provider: ${provider} is not a configured provider`);
}

function parseFile(file: string): PriceFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`PRICES_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return parsePriceFile(text);
  } catch (error) {
    if (error instanceof PriceFileError) throw new ConfigError(`PRICES_FILE: ${file}: ${error.message}`);
    throw error;
  }
}
