import { createHash } from 'node:crypto';
import { ConfigError } from '@agp/core/errors';
import { parseJson } from '@agp/core/json';
import { z } from 'zod';
import { isToolPrice, units } from './figures.ts';

/** The highest price, in USD: a higher one is a slip of the decimal point. */
const maxPrice = 100_000;

const amount = z.number().min(0).max(maxPrice);

const steppedPrice = z.strictObject({
  base: amount,
  tiers: z
    .array(z.strictObject({ start: z.int().min(0), price: amount }))
    .min(1)
    .refine((tiers) => tiers.every(({ start }, index) => start > (tiers[index - 1]?.start ?? -1)), 'must ascend'),
});

const price = z.union([amount, steppedPrice]).optional();
const priceFields: Record<string, typeof price> = Object.fromEntries(units.map((unit) => [unit.price, price]));

const prices = z
  .strictObject(priceFields)
  .refine((row) => Object.keys(row).length > 0, 'must have a price; write what is free as 0');

const day = z
  .union([z.iso.date(), z.iso.datetime()], 'must be a UTC date or time: 2026-11-01 or 2026-11-01T12:00:00Z')
  .transform((text) => new Date(text));

const serviceTier = z.string().regex(/^[a-z0-9_-]{1,32}$/, 'must be a lower-case tier, as the provider names it');

/** One model's or one family's prices. They replace all other prices of it, unless {@link addsUnits}. */
const priceEntrySchema = z
  .strictObject({
    provider: z.string().min(1).optional(),
    /** A model's whole name, or the beginning of several and `*`. */
    model: z
      .string()
      .min(1)
      .max(256)
      .refine((model) => !model.slice(0, -1).includes('*'), '* may only stand at the end'),
    /** USD per million tokens or characters, per thousand requests, searches or images, per hour of audio. */
    prices,
    /** Prices of other tiers than the standard one, each a whole row; without it, the vendor's known times of `prices`. */
    service_tiers: z.record(serviceTier, prices).optional(),
    from: day.optional(),
    until: day.optional(),
  })
  .refine(({ model, provider }) => model !== '*' || provider !== undefined, {
    path: ['provider'],
    error: 'is needed where model is *, which would otherwise replace every known price',
  })
  .refine(({ from, until }) => !from || !until || from < until, { path: ['until'], error: 'must lie after from' });

export type PriceEntry = z.infer<typeof priceEntrySchema>;

export type Prices = PriceEntry['prices'];

/** Whether an entry prices only what the provider runs beside the model, and so is added to what else is known of it. */
export const addsUnits = ({ prices, service_tiers }: PriceEntry): boolean =>
  !service_tiers && Object.keys(prices).every(isToolPrice);

export interface PriceFile {
  entries: readonly PriceEntry[];
  /** Identifies this file in records: `prices-file ` and the start of its SHA-256. */
  version: string;
}

const hold = (one: PriceEntry, other: PriceEntry): boolean =>
  (!one.from || !other.until || one.from < other.until) && (!other.from || !one.until || other.from < one.until);

function findRival(entries: readonly PriceEntry[], index: number): number {
  const entry = entries[index] as PriceEntry;
  return entries.findIndex(
    (other, at) => at < index && other.provider === entry.provider && other.model === entry.model && hold(entry, other),
  );
}

function describe(issue: z.core.$ZodIssue, path: PropertyKey[] = []): string {
  const whole = [...path, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = issue.errors.flat().find(({ path: inner }) => inner.length > 0);
    if (branch) return describe(branch, whole);
    return `${whole.join('.')}: ${issue.message === 'Invalid input' ? 'must be a price in USD, or { base, tiers }' : issue.message}`;
  }
  const reason = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
  return `${whole.join('.')}: ${reason}`;
}

/** @throws JsonError, or ConfigError naming the entry, counted from 0, and the field */
export function parsePriceFile(text: string): PriceFile {
  const parsed = z.array(priceEntrySchema).safeParse(parseJson(text));
  if (!parsed.success) throw new ConfigError(describe(parsed.error.issues[0] as z.core.$ZodIssue));
  for (const [index, { model }] of parsed.data.entries()) {
    const rival = findRival(parsed.data, index);
    if (rival >= 0) throw new ConfigError(`${index}.model: ${model} has prices for the same time in ${rival} too`);
  }
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { entries: parsed.data, version: `prices-file ${digest}` };
}

/** @param name a model's, or the beginning of several and `*` */
export const isNamed = (name: string, model: string): boolean =>
  name === model || (name.endsWith('*') && model.startsWith(name.slice(0, -1)));

/** How closely an entry names a model, or -1 if it does not: first by provider, then by whole name, then by length. */
function rank(entry: PriceEntry, provider: string, model: string): number {
  if (entry.provider !== undefined && entry.provider !== provider) return -1;
  if (!isNamed(entry.model, model)) return -1;
  return (entry.provider === undefined ? 0 : 2_000) + (entry.model.endsWith('*') ? entry.model.length : 1_000);
}

export function findEntries(entries: readonly PriceEntry[], provider: string, model: string): PriceEntry[] {
  return entries
    .map((entry) => ({ entry, rank: rank(entry, provider, model) }))
    .filter((found) => found.rank >= 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry);
}

export function holdsAt({ from, until }: Pick<PriceEntry, 'from' | 'until'>, at: Date): boolean {
  return (!from || at >= from) && (!until || at < until);
}
