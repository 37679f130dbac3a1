import type { PriceEntry, Prices } from './price-file.ts';

// What the library leaves out, as the vendors document it (November 2026).

/** Identifies the rows of models and units in records. */
export const ourVersion = 'supplement 2026-12-01';

/** Rows as in PRICES_FILE; the first of several for a model counts. */
export interface OurEntry extends Pick<PriceEntry, 'service_tiers'> {
  /** The vendor's id in the library. */
  provider: string;
  /** A name, the beginning of several and `*`, or a pattern. */
  model: string | RegExp;
  prices: Prices;
}

type Row = [providers: string, models: string | RegExp, Prices, service_tiers?: Record<string, Prices>];

const toEntries = ([providers, models, prices, service_tiers]: Row): OurEntry[] =>
  providers.split(' ').flatMap((provider) => {
    const names = typeof models === 'string' ? models.split(' ') : [models];
    return names.map((model) => ({ provider, model, prices, ...(service_tiers && { service_tiers }) }));
  });

const text = (input_mtok: number, cache_read_mtok: number, output_mtok: number) => ({
  input_mtok,
  cache_read_mtok,
  output_mtok,
});
const speech = (input_mchars: number) => ({ input_mchars });
const video = (output_video_hours: number) => ({ output_video_hours });
/** An hour of the standard resolution, and of others by their names. */
const videos = (hour: number, others: Record<string, number>) =>
  [video(hour), Object.fromEntries(Object.entries(others).map(([name, price]) => [name, video(price)]))] as const;
const pictures = (output_images_kcount: number) => ({ output_images_kcount });

/** Whole models. */
export const ourModels = (
  [
    // https://platform.openai.com/docs/pricing, speech generation: USD per million characters.
    ['openai', 'tts-1 tts-1-1106', speech(15)],
    ['openai', 'tts-1-hd tts-1-hd-1106', speech(30)],
    // The same page, video: 0.10 USD a second, 0.30, 0.50 and 0.70.
    ['openai azure', 'sora-2 sora-2-2025-10-06 sora-2-2025-12-08', video(360)],
    ['openai azure', 'sora-2-pro sora-2-pro-2025-10-06', ...videos(1_080, { '1024p': 1_800, '1080p': 2_520 })],
    // https://ai.google.dev/gemini-api/docs/pricing: a second of 0.40 USD and 0.60, 0.10 to 0.30, 0.05 and 0.08; a picture of 0.02 to 0.06.
    ['google', 'veo-3.1-generate-preview veo-3.1-generate-001', ...videos(1_440, { '1080p': 1_440, '4k': 2_160 })],
    [
      'google',
      'veo-3.1-fast-generate-preview veo-3.1-fast-generate-001',
      ...videos(360, { '1080p': 432, '4k': 1_080 }),
    ],
    ['google', 'veo-3.1-lite-generate-preview veo-3.1-lite-generate-001', ...videos(180, { '1080p': 288 })],
    ['google', 'veo-3.0-generate-001 veo-3.0-generate-preview', ...videos(1_440, { '1080p': 1_440 })],
    ['google', 'veo-3.0-fast-generate-001 veo-3.0-fast-generate-preview', ...videos(540, { '1080p': 540 })],
    ['google', 'veo-2.0-generate-001', video(1_260)],
    ['google', 'imagen-4.0-generate-001 imagen-4.0-generate-preview-06-06', pictures(40)],
    ['google', 'imagen-4.0-fast-generate-001 imagen-4.0-fast-generate-preview-06-06', pictures(20)],
    ['google', 'imagen-4.0-ultra-generate-001 imagen-4.0-ultra-generate-preview-06-06', pictures(60)],
    ['google', 'imagen-3.0-generate-001 imagen-3.0-generate-002', pictures(30)],
    ['openai', 'gpt-5-search-api gpt-5-search-api-2025-10-14', { ...text(1.25, 0.125, 10), web_searches_kcount: 10 }],
    // OpenAI's page, fine-tuned models.
    ['openai', 'ft:gpt-4.1-2025-04-14:*', text(3, 0.75, 12)],
    ['openai', 'ft:gpt-4.1-mini-2025-04-14:*', text(0.8, 0.2, 3.2)],
    ['openai', 'ft:gpt-4.1-nano-2025-04-14:*', text(0.2, 0.05, 0.8)],
    ['openai', 'ft:o4-mini-2025-04-16:*', text(4, 1, 16)],
    // https://cohere.com/pricing
    ['cohere', 'rerank-v3.5 rerank-english-v3.0 rerank-multilingual-v3.0', { rerank_searches_kcount: 2 }],
  ] as Row[]
).flatMap(toEntries);

const openaiTools = { storage_searches_kcount: 2.5, code_executions_kcount: 30 };
const grounding = (web_searches_kcount: number, maps_searches_kcount: number, cache_storage_mtok_hours: number) => ({
  web_searches_kcount,
  maps_searches_kcount,
  cache_storage_mtok_hours,
});

/** Units of models that the library has. */
export const ourUnits = (
  [
    // The library has these at the price of text.
    ['openai azure', /^gpt-4o-mini-audio/, { input_audio_mtok: 10, output_audio_mtok: 20 }],
    ['openai azure', /^gpt-4o-audio/, { input_audio_mtok: 40, output_audio_mtok: 80 }],
    // https://platform.openai.com/docs/pricing, built-in tools; a session of code is one for each GB of its container.
    ['openai', /^gpt-4o(?:-mini)?-search-preview/, { preview_searches_kcount: 25 }],
    ['openai', /^gpt-4(?:o|\.1)/, { web_searches_kcount: 10, preview_searches_kcount: 25, ...openaiTools }],
    ['openai', /^(?:gpt-[^i]|o\d|codex|computer)/, { web_searches_kcount: 10, ...openaiTools }],
    ['anthropic', /./, { web_searches_kcount: 10 }],
    // https://ai.google.dev/gemini-api/docs/pricing, grounding; it is billed by the search since Gemini 3, else by the prompt; context caching.
    ['google', /^claude/, { web_searches_kcount: 10 }],
    ['google', /gemini-[12]\D.*pro/, grounding(35, 25, 4.5)],
    ['google', /gemini-[12]\D/, grounding(35, 25, 1)],
    ['google', /^(?:.*\/)?gemini.*pro/, grounding(14, 14, 4.5)],
    ['google', /^(?:.*\/)?(?:gemini|deep-research)/, grounding(14, 14, 1)],
    // https://aws.amazon.com/bedrock/pricing, guardrails, as third parties read it in August 2026; reasoning costs 0.17 by each of its policies.
    [
      'aws',
      /./,
      {
        guardrail_content_kcount: 0.15,
        guardrail_topics_kcount: 0.15,
        guardrail_sensitive_kcount: 0.1,
        guardrail_grounding_kcount: 0.1,
        guardrail_images_kcount: 0.75,
      },
    ],
    // https://docs.x.ai/developers/pricing, tools.
    [
      'x-ai',
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
    // https://docs.perplexity.ai/getting-started/pricing: the fee of a request has its searches.
    ['perplexity', /^sonar(?!-deep)/, { web_searches_kcount: 0 }],
    // https://groq.com/pricing, built-in tools.
    ['groq', /compound|gpt-oss/, { web_searches_kcount: 5 }],
    // https://mistral.ai/pricing, connectors.
    ['mistral', /./, { web_searches_kcount: 30, code_executions_kcount: 30 }],
  ] as Row[]
).flatMap(toEntries);

/** Claude before 4.5 costs the same in every region of a cloud. */
const sameEverywhere = 'claude-(?:[23]|instant|(?:opus|sonnet)-4(?:-[01])?(?:@|-[2v]|$))';

/** Tokens of a tier, in times of the list price: so many of so many. The first row that a model matches counts. */
export const tierTimes: readonly (readonly [vendor: string, tier: string, model: RegExp, times: bigint, of: bigint])[] =
  [
    ...['openai', 'azure', 'anthropic', 'google', 'groq', 'mistral'].map(
      (vendor) => [vendor, 'batch', /./, 1n, 2n] as const,
    ),
    // Pictures that a flex response draws have no price of their own there.
    ['openai', 'flex', /^(?!(?:chat)?gpt-image)/, 1n, 2n],
    ['google', 'flex', /./, 1n, 2n],
    ['groq', 'flex', /./, 1n, 1n],
    // https://openai.com/api-priority-processing
    ['openai', 'priority', /^gpt-5\.5(?!-pro)/, 5n, 2n],
    ['openai', 'priority', /^gpt-5-mini/, 9n, 5n],
    ['openai', 'priority', /^gpt-4\.1-nano/, 2n, 1n],
    ['openai', 'priority', /^(?:gpt-4\.1|o3$|o3-2025|gpt-4o-2024-05-13)/, 7n, 4n],
    ['openai', 'priority', /^gpt-4o-mini/, 5n, 3n],
    ['openai', 'priority', /^gpt-4o(?:$|-2024)/, 17n, 10n],
    ['openai', 'priority', /^o4-mini/, 20n, 11n],
    ['openai', 'priority', /^gpt-5/, 2n, 1n],
    // https://ai.google.dev/gemini-api/docs/pricing
    ['google', 'priority', /./, 9n, 5n],
    // https://platform.claude.com/docs/en/build-with-claude/fast-mode
    ['anthropic', 'fast', /opus-4-[67]/, 6n, 1n],
    ['anthropic', 'fast', /opus-4-8/, 2n, 1n],
    // https://platform.claude.com/docs/en/build-with-claude/data-residency
    ['anthropic', 'geo_us', /./, 11n, 10n],
    // https://platform.openai.com/docs/pricing: data residency
    ['openai', 'regional', /^gpt-5\.[4-9]/, 11n, 10n],
    ['openai', 'regional', /./, 1n, 1n],
    // https://cloud.google.com/vertex-ai/generative-ai/pricing: Claude costs more outside of the global endpoint
    ['google', 'regional', new RegExp(`${sameEverywhere}|gemini-[12]\\D`), 1n, 1n],
    ['google', 'regional', /claude/, 11n, 10n],
    // https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-openai-gpt-6-astra.html, and the library's rows of Claude
    ['aws', 'regional', new RegExp(sameEverywhere), 1n, 1n],
    ['aws', 'regional', /claude-|gpt-\d/, 11n, 10n],
  ];

/** Hosts that keep data in a region, at OpenAI and Vertex AI. */
export const regionalHosts =
  /^(?:[a-z]{2}\.api\.openai\.com|[a-z]+-[a-z]+\d+-aiplatform\.googleapis\.com|aiplatform\.[a-z]+\.rep\.googleapis\.com)$/;

/** Seconds of sound that each request costs at the least (https://console.groq.com/docs/speech-to-text). */
export const leastSeconds: ReadonlyMap<string | null, number> = new Map([['groq', 10]]);

/** Vendors that say what they charged. */
export const tellsCharges: ReadonlySet<string | null> = new Set(['x-ai', 'openrouter', 'perplexity']);
