import { readFileSync } from 'node:fs';
import type { ModelPrice, PriceListQuery } from '@agp/core/contracts';
import { parseJson } from '@agp/core/json';
import { type Db, listUnpricedModels, listUsage } from '@agp/db';
import { createPriceLister, type ListedPrice, type PricedProvider, parsePriceFile } from '@agp/pricing';
import { ConfigError } from '@agp/runtime';
import { z } from 'zod';
import type { ManagementConfig } from '../config.ts';

export interface PriceReader {
  read(db: Db, query: PriceListQuery): Promise<ModelPrice[]>;
}

const providersSchema = z.array(
  z.object({ id: z.string(), api: z.enum(['openai', 'anthropic', 'gemini']), base_url: z.string() }),
);

const builtIn: PricedProvider[] = [
  { provider: 'openai', api: 'openai', baseUrl: 'https://api.openai.com' },
  { provider: 'anthropic', api: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  { provider: 'gemini', api: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' },
];

/** @throws ConfigError naming the variable and the file */
function readSetting<Content>(variable: string, file: string | undefined, parse: (text: string) => Content) {
  try {
    return file === undefined ? null : parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new ConfigError(`${variable}: ${file}: ${reason}`);
  }
}

/** As the proxy does, without keys and rules: it checks the settings. */
function readProviders(file: string | undefined, environment: NodeJS.ProcessEnv): Map<string, PricedProvider> {
  const providers = new Map(builtIn.map((each) => [each.provider, each]));
  const entries = readSetting('PROVIDERS_FILE', file, (text) => providersSchema.parse(parseJson(text))) ?? [];
  for (const { id, api, base_url: baseUrl } of entries) providers.set(id, { provider: id, api, baseUrl });
  for (const [name, baseUrl] of Object.entries(environment)) {
    const id = /^PROVIDER_([A-Z0-9_]+)_URL$/.exec(name)?.[1]?.toLowerCase();
    if (id === undefined || !baseUrl) continue;
    const known = providers.get(id) ?? providers.get(id.replaceAll('_', '-'));
    const { provider, api } = known ?? { provider: id, api: 'openai' as const };
    providers.set(provider, { provider, api, baseUrl });
  }
  return providers;
}

const dayMs = 86_400_000;

/** Only so many used models are priced by name, the dearest: names come from callers. */
const mostUsed = 500;

type Row = ModelPrice & { requests: number };

const keyOf = ({ provider, model }: Pick<ModelPrice, 'provider' | 'model'>) => JSON.stringify([provider, model]);

function presentPrice({ version, since, ...price }: ListedPrice): Row {
  const unused = { unpriced_at: null, add: null, requests: 0 };
  return { ...price, price_version: version, since: since?.toISOString() ?? null, ...unused } as Row;
}

/** Refused as it is: with zeros, who forgets to fill it in would have a free model. */
function writeEntry(provider: string, model: string): string | null {
  if (model.includes('*') || model === 'other') return null;
  return JSON.stringify({ provider, model, prices: { input_mtok: null, output_mtok: null } });
}

/** Unpriced ones first, the most requested of them first, then by provider and model. */
function compare(one: Row, other: Row): number {
  const rank = (row: Row) => [row.unpriced_at === null ? 2 : row.source === null ? 0 : 1, -row.requests] as const;
  const [[group, uses], [otherGroup, otherUses]] = [rank(one), rank(other)];
  const byName = keyOf(one) < keyOf(other) ? -1 : 1;
  return group - otherGroup || uses - otherUses || byName;
}

/** @throws ConfigError if a file cannot be read */
export function createPriceReader(
  { pricesFile, providersFile }: Pick<ManagementConfig, 'pricesFile' | 'providersFile'>,
  environment: NodeJS.ProcessEnv,
): PriceReader {
  const providers = readProviders(providersFile, environment);
  const prices = createPriceLister(readSetting('PRICES_FILE', pricesFile, parsePriceFile));
  return {
    async read(db, { provider: ofProvider, model: named, search, limit, offset }) {
      const now = new Date();
      const from = new Date(Math.floor(now.getTime() / dayMs) * dayMs - 30 * dayMs);
      const unpriced = (await listUnpricedModels(db)).filter(({ last_seen_at }) => last_seen_at >= from);
      const used: { provider: string; model: string }[] = named
        ? [...providers.keys()].map((provider) => ({ provider, model: named }))
        : [];
      for await (const page of listUsage(db, { groups: ['provider', 'model'], from, top: mostUsed }))
        for (const { provider = '', model = '' } of page) used.push({ provider, model });
      const rows = new Map(prices.list(providers.values(), now).map((row) => [keyOf(row), presentPrice(row)]));
      for (const each of [...used, ...unpriced]) {
        const provider = providers.get(each.provider);
        const found = provider && !rows.has(keyOf(each)) && prices.find(provider, each.model, now);
        if (found) rows.set(keyOf(each), presentPrice(found));
      }
      for (const { provider, model, request_count, last_seen_at } of unpriced) {
        const none = { source: null, price_version: null, since: null, add: writeEntry(provider, model) };
        const row = rows.get(keyOf({ provider, model })) ?? { provider, model, prices: {}, ...none };
        const seen = { unpriced_at: last_seen_at.toISOString(), requests: request_count };
        rows.set(keyOf(row), { ...row, ...seen });
      }
      const text = search?.toLowerCase() ?? '';
      const isWanted = ({ provider, model }: Row) =>
        (ofProvider === undefined || provider === ofProvider) &&
        (named === undefined || model === named) &&
        model.toLowerCase().includes(text);
      const wanted = [...rows.values()].filter(isWanted).sort(compare);
      return wanted.slice(offset, limit && offset + limit).map(({ requests: _, ...row }) => row);
    },
  };
}
