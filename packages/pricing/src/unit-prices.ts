import type { ModelPrice } from '@pydantic/genai-prices';

const openaiTools = { storage_searches_kcount: 2.5, code_executions_kcount: 30 };

const byPrompt = { web_searches_kcount: 35, maps_searches_kcount: 25 };
const bySearch = { web_searches_kcount: 14, maps_searches_kcount: 14 };

/** What the library leaves out beside tokens, by vendor, as the vendors document it (November 2026); the first pattern that matches counts. */
export const unitPrices: Readonly<Record<string, readonly (readonly [model: RegExp, prices: ModelPrice])[]>> = {
  // https://platform.openai.com/docs/pricing, built-in tools; a session of code is one for each GB of its container.
  openai: [
    [/^gpt-4o(?:-mini)?-search-preview/, { web_searches_kcount: 25 }],
    [/^gpt-4(?:o|\.1)/, { web_searches_kcount: 10, preview_searches_kcount: 25, ...openaiTools }],
    [/^(?:gpt-[^i]|o\d|codex|computer)/, { web_searches_kcount: 10, ...openaiTools }],
  ],
  anthropic: [[/./, { web_searches_kcount: 10 }]],
  // https://ai.google.dev/gemini-api/docs/pricing, grounding; it is billed by the search since Gemini 3, else by the prompt; context caching.
  google: [
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

/** Prices of units in addition to a model's listed ones; null if the vendor has none. */
export function findUnitPrices(vendor: string | null, model: string): ModelPrice | null {
  const ofVendor = vendor !== null && Object.hasOwn(unitPrices, vendor) ? unitPrices[vendor] : undefined;
  return ofVendor?.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/** Vendors that say what they charged. */
export const tellsCharges: ReadonlySet<string | null> = new Set(['x-ai', 'openrouter', 'perplexity']);
