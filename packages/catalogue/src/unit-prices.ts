import type { ModelPrice } from '@pydantic/genai-prices';

const openaiTools = { storage_searches_kcount: 2.5, code_executions_kcount: 30 };

const byPrompt = { web_searches_kcount: 35, maps_searches_kcount: 25 };
const bySearch = { web_searches_kcount: 14, maps_searches_kcount: 14 };

/** Where the library has models of sound at the price of text. */
const sound: readonly (readonly [RegExp, ModelPrice])[] = [
  [/^gpt-4o-mini-audio/, { input_audio_mtok: 10, output_audio_mtok: 20 }],
  [/^gpt-4o-audio/, { input_audio_mtok: 40, output_audio_mtok: 80 }],
];

/** What the library leaves out beside tokens, by vendor, as the vendors document it (November 2026); the first pattern that matches counts. */
export const unitPrices: Readonly<Record<string, readonly (readonly [model: RegExp, prices: ModelPrice])[]>> = {
  // https://platform.openai.com/docs/pricing, built-in tools; a session of code is one for each GB of its container.
  openai: [
    ...sound,
    [/^gpt-4o(?:-mini)?-search-preview/, { preview_searches_kcount: 25 }],
    [/^gpt-4(?:o|\.1)/, { web_searches_kcount: 10, preview_searches_kcount: 25, ...openaiTools }],
    [/^(?:gpt-[^i]|o\d|codex|computer)/, { web_searches_kcount: 10, ...openaiTools }],
  ],
  azure: sound,
  anthropic: [[/./, { web_searches_kcount: 10 }]],
  // https://ai.google.dev/gemini-api/docs/pricing, grounding; it is billed by the search since Gemini 3, else by the prompt; context caching.
  google: [
    [/^claude/, { web_searches_kcount: 10 }],
    [/gemini-[12]\D.*pro/, { ...byPrompt, cache_storage_mtok_hours: 4.5 }],
    [/gemini-[12]\D/, { ...byPrompt, cache_storage_mtok_hours: 1 }],
    [/^(?:.*\/)?gemini.*pro/, { ...bySearch, cache_storage_mtok_hours: 4.5 }],
    [/^(?:.*\/)?(?:gemini|deep-research)/, { ...bySearch, cache_storage_mtok_hours: 1 }],
  ],
  // https://docs.x.ai/developers/pricing, tools.
  'x-ai': [
    [
      /./,
      {
        web_searches_kcount: 5,
        social_searches_kcount: 5,
        storage_searches_kcount: 2.5,
        attachment_searches_kcount: 10,
        code_executions_kcount: 5,
        search_sources_kcount: 25,
      },
    ],
  ],
  // https://docs.perplexity.ai/getting-started/pricing: the fee of a request has its searches.
  perplexity: [[/^sonar(?!-deep)/, { web_searches_kcount: 0 }]],
  // https://groq.com/pricing, built-in tools.
  groq: [[/compound|gpt-oss/, { web_searches_kcount: 5 }]],
  // https://mistral.ai/pricing, connectors.
  mistral: [[/./, { web_searches_kcount: 30, code_executions_kcount: 30 }]],
};

function double(price: NonNullable<ModelPrice[string]>): ModelPrice[string] {
  if (typeof price === 'number') return price * 2;
  return { base: price.base * 2, tiers: price.tiers.map(({ start, price: above }) => ({ start, price: above * 2 })) };
}

/** Prices of units in addition to a model's listed ones; null if there are none. */
export function findUnitPrices(vendor: string | null, model: string, listed: ModelPrice | null): ModelPrice | null {
  const ofVendor = vendor !== null && Object.hasOwn(unitPrices, vendor) ? unitPrices[vendor] : undefined;
  const prices = ofVendor?.find(([pattern]) => pattern.test(model))?.[1] ?? null;
  if (!model.includes('claude') || !listed?.cache_write_mtok || !listed.input_mtok) return prices;
  // What Claude keeps for an hour costs twice the input wherever it runs; the library knows it of Anthropic alone.
  return { ...prices, cache_write_1h_mtok: double(listed.input_mtok) };
}

/** Of sound, that each request costs (https://console.groq.com/docs/speech-to-text). */
export const leastSeconds: ReadonlyMap<string | null, number> = new Map([['groq', 10]]);

/** Vendors that say what they charged. */
export const tellsCharges: ReadonlySet<string | null> = new Set(['x-ai', 'openrouter', 'perplexity']);
