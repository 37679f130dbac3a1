import { readPricesAt } from './library-model.ts';
import { type AskedModel, createCatalogue, type PricedModel } from './merge.ts';
import type { PriceFile } from './price-file.ts';
import type { PriceRow } from './price-row.ts';
import { findTierFactor } from './tiers.ts';

export interface UsageLimits {
  inputTokens: number;
  outputTokens: number;
  inputCharacters: number;
  outputImages: number;
  /** Texts that a guardrail may judge, by each of its policies, and pictures. */
  guardrailUnits: number;
  guardrailImages: number;
}

type Rates = PriceRow['terms'][number]['rates'];

/** What a request tells the most of, beside tokens. */
const counted = {
  input_mchars: 'inputCharacters',
  output_images_kcount: 'outputImages',
} as const satisfies Record<string, keyof UsageLimits>;

/** The same of what the provider runs; nothing else of that is bounded. */
const countedTools: Readonly<Record<string, keyof UsageLimits>> = {
  guardrail_content_kcount: 'guardrailUnits',
  guardrail_topics_kcount: 'guardrailUnits',
  guardrail_sensitive_kcount: 'guardrailUnits',
  guardrail_grounding_kcount: 'guardrailUnits',
  guardrail_reasoning_kcount: 'guardrailUnits',
  guardrail_untold_kcount: 'guardrailUnits',
  guardrail_images_kcount: 'guardrailImages',
};

function dearest(rates: Rates, inputTokens: number): bigint {
  return rates.reduce((most, { above, nano }) => (above < inputTokens && nano > most ? nano : most), rates[0].nano);
}

/** The most that so much usage may cost, in nano-dollars, each token at its dearest kind; null without a bound or price. */
function boundCharge(row: PriceRow, limits: UsageLimits): number | null {
  if (row.free) return 0;
  let input = 0n;
  let written = 0n;
  let seen = 0n;
  let output: bigint | null = null;
  let scaled = 0n;
  let isPriced = false;
  for (const { unit, rates } of row.terms) {
    const { price } = unit;
    const rate = dearest(rates, limits.inputTokens);
    const most = (other: bigint) => (rate > other ? rate : other);
    const tool = countedTools[price];
    if (tool !== undefined) scaled += BigInt(limits[tool]) * rate;
    if (unit.isTool) continue;
    if (price === 'requests_kcount') scaled += rate;
    else if (price in counted) {
      const count = limits[counted[price as keyof typeof counted]];
      scaled += BigInt(count) * rate;
      isPriced ||= count > 0;
    } else if (!unit.isToken) return null;
    else if (price.startsWith('output_')) output = most(output ?? 0n);
    else {
      isPriced = true;
      input = most(input);
      if (price.startsWith('cache_write_')) written = most(written);
      if (/^input_.+_mtok$/.test(price)) seen = most(seen);
    }
  }
  const isCounted = limits.inputCharacters + limits.outputImages > 0;
  if (!isPriced || (output === null && limits.outputTokens > 0 && !isCounted)) return null;
  const both = written > 0n && seen > 0n ? written + seen : 0n;
  scaled += BigInt(limits.inputTokens) * (both > input ? both : input);
  scaled += BigInt(limits.outputTokens) * (output ?? 0n);
  const nano = (scaled + row.scale - 1n) / row.scale;
  return nano < Number.MAX_SAFE_INTEGER ? Number(nano) : Number.MAX_SAFE_INTEGER;
}

interface ModelBounds {
  /** The library's id of the vendor whose prices apply; null if unknown. */
  vendor: string | null;
  largestInput: number;
  /** The most tokens of one answer, if the request does not ask for more. */
  largestOutput: number;
  hasTier(tier: string): boolean;
  /** In nano-dollars, at the operator's dearest tier and all that are asked for; null if unknown. `fast` comes only if asked. */
  charge(limits: UsageLimits, asked: readonly string[]): number | null;
}

export type FindModelBounds = (asked: AskedModel) => ModelBounds | null;

/** The largest context that is sold, in tokens: no single run of a model reads more. */
export const largestContext = 2_097_152;

/** More than models write in one answer unless they are asked for more, in tokens (128 thousand is the most in use). */
export const largestOutput = 131_072;

/** Vendors whose models write no more than {@link largestOutput}; others may write as much as they read. */
const boundedVendors = new Set<string | null>(['openai', 'azure', 'anthropic', 'google', 'aws']);

/** Price lists round the sizes of contexts, down as often as up. */
const listedShare = 1.25;

/** Claude's context with a header of Anthropic's, which lists do not mention. */
const largestOfClaude = 1_048_576;

function readLargestInput({ listed }: PricedModel, at: Date): number {
  const window = listed?.model.context_window;
  if (!listed || window === undefined) return largestContext;
  // A price for input beyond the listed size: one of the two must be wrong.
  const hasMore = Object.values(readPricesAt(listed, at) ?? {}).some(
    (price) => typeof price === 'object' && price.tiers.some(({ start }) => start >= window),
  );
  if (hasMore) return largestContext;
  const least = listed.name.includes('claude') ? largestOfClaude : 0;
  return Math.min(largestContext, Math.ceil(Math.max(window, least) * listedShare));
}

/** @param file the operator's */
export function createFindModelBounds(file: PriceFile | null = null): FindModelBounds {
  const catalogue = createCatalogue(file);
  return (asked) => {
    if (asked.model.length > 256 || Number.isNaN(asked.at.getTime())) return null;
    const { at } = asked;
    const model = catalogue.find(asked);
    const [row] = catalogue.resolve(model, at, []);
    if (!row) return null;
    const names = [asked.model, ...model.editions];
    const models = names.map((name) => catalogue.find({ ...asked, model: name }));
    const largestInput = Math.max(...models.map((each) => readLargestInput(each, at)));
    const { vendor, tiers } = row.source;
    return {
      vendor: model.vendor,
      largestInput,
      largestOutput: boundedVendors.has(model.vendor) ? largestOutput : Math.max(largestOutput, largestInput),
      hasTier: (tier) =>
        vendor === null
          ? Object.hasOwn(tiers, tier)
          : names.every((name) => findTierFactor(tier, vendor, name, at) !== null),
      charge(limits, named) {
        const rows = models.flatMap((each) => catalogue.resolve(each, at, named, true));
        const charges = rows.map(({ compiled }) => boundCharge(compiled, limits));
        return charges.includes(null) ? null : Math.max(...(charges as number[]));
      },
    };
  };
}
