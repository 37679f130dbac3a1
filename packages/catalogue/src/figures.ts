const usd = 1_000_000_000n;

/** A figure above this counts as an error of the provider: no call comes near it. */
export const maxTokens = 1_000_000_000;

/** What a figure counts: the most of it that is believed, and how many nano-dollars, for every `per`, one USD of its price is. */
const kinds = {
  tokens: { most: maxTokens, nano: usd / 1_000_000n, per: 1n },
  characters: { most: maxTokens, nano: usd / 1_000_000n, per: 1n },
  things: { most: 100_000, nano: usd / 1_000n, per: 1n },
  seconds: { most: 10_000_000, nano: usd, per: 3_600n },
  /** What the provider runs beside the model. */
  tools: { most: 100_000, nano: usd / 1_000n, per: 1n },
  storage: { most: maxTokens, nano: usd / 1_000_000n, per: 1n },
};

/** @param price its name in a row of prices @param within prices of what this is a part of: amounts charged here are not charged there */
const row =
  (kind: keyof typeof kinds) =>
  (price: string, ...within: string[]) => ({ kind, price, within });
const tokens = row('tokens');
const things = row('things');
const seconds = row('seconds');
const tools = row('tools');

/** What is counted of a call. A figure of tokens but the first two is a part of one of these. */
const figures = {
  /** All input. */
  promptTokens: tokens('input_mtok'),
  /** All billed output. */
  completionTokens: tokens('output_mtok'),
  cacheReadTokens: tokens('cache_read_mtok', 'input_mtok'),
  cacheWriteTokens: tokens('cache_write_mtok', 'input_mtok'),
  /** The part of `cacheWriteTokens` that is kept for an hour, which Anthropic prices separately. */
  cacheWrite1hTokens: tokens('cache_write_1h_mtok', 'cache_write_mtok', 'input_mtok'),
  /** The part that OpenAI keeps for 12 hours. */
  cacheWrite12hTokens: tokens('cache_write_12h_mtok', 'cache_write_mtok', 'input_mtok'),
  inputAudioTokens: tokens('input_audio_mtok', 'input_mtok'),
  inputImageTokens: tokens('input_image_mtok', 'input_mtok'),
  /** Video that was not read from the cache. */
  inputVideoTokens: tokens('input_video_mtok', 'input_mtok'),
  cacheReadAudioTokens: tokens('cache_audio_read_mtok', 'cache_read_mtok', 'input_audio_mtok', 'input_mtok'),
  cacheReadImageTokens: tokens('cache_image_read_mtok', 'cache_read_mtok', 'input_image_mtok', 'input_mtok'),
  reasoningTokens: tokens('output_reasoning_mtok', 'output_mtok'),
  outputAudioTokens: tokens('output_audio_mtok', 'output_mtok'),
  outputImageTokens: tokens('output_image_mtok', 'output_mtok'),
  outputVideoTokens: tokens('output_video_mtok', 'output_mtok'),
  /** Sound and video in whole seconds, if the provider bills their length and not tokens. */
  inputAudioSeconds: seconds('input_audio_hours'),
  outputAudioSeconds: seconds('output_audio_hours'),
  outputVideoSeconds: seconds('output_video_hours'),
  inputCharacters: row('characters')('input_mchars'),
  inputPages: things('input_document_kpages'),
  annotatedPages: things('input_annotated_document_kpages', 'input_document_kpages'),
  outputImages: things('output_images_kcount'),
  webSearches: tools('web_searches_kcount'),
  /** OpenAI's earlier web search with a model that does not reason, which has its own price. */
  previewSearches: tools('preview_searches_kcount'),
  /** Searches of files, stores and collections that the caller keeps at the provider. */
  fileSearches: tools('storage_searches_kcount'),
  attachmentSearches: tools('attachment_searches_kcount'),
  socialSearches: tools('social_searches_kcount'),
  socialPosts: tools('social_posts_kcount'),
  socialUsers: tools('social_users_kcount'),
  mapsSearches: tools('maps_searches_kcount'),
  rerankSearches: tools('rerank_searches_kcount'),
  /** Pages that xAI's live search used, which it bills instead of searches. */
  searchSources: tools('search_sources_kcount'),
  /** Runs of code, or the containers in which it ran, as the provider bills them. */
  codeExecutions: tools('code_executions_kcount'),
  /** Texts that AWS' guardrails judged, in units of 1,000 characters, by each policy; pictures; and texts of which no policy was told. */
  guardrailContentUnits: tools('guardrail_content_kcount'),
  guardrailTopicUnits: tools('guardrail_topics_kcount'),
  guardrailSensitiveUnits: tools('guardrail_sensitive_kcount'),
  guardrailGroundingUnits: tools('guardrail_grounding_kcount'),
  guardrailReasoningUnits: tools('guardrail_reasoning_kcount'),
  guardrailImages: tools('guardrail_images_kcount'),
  guardrailUntoldUnits: tools('guardrail_untold_kcount'),
  /** What a cache was asked to keep, in tokens times hours. */
  storedTokenHours: row('storage')('cache_storage_mtok_hours'),
};

export type Usage = { -readonly [Name in keyof typeof figures]: number };

/** A figure, or the request itself, and how a row prices it. */
export interface Unit {
  readonly figure: keyof Usage | 'requests';
  readonly price: string;
  readonly within: readonly string[];
  readonly isToken: boolean;
  /** The provider runs it beside the model. */
  readonly isTool: boolean;
  readonly nano: bigint;
  readonly per: bigint;
}

export interface CountedUnit extends Unit {
  readonly figure: keyof Usage;
}

const rows = Object.entries(figures) as [keyof Usage, (typeof figures)[keyof Usage]][];

const toUnit = <Figure extends Unit['figure']>(figure: Figure, { kind, ...priced }: ReturnType<typeof tokens>) => {
  const { nano, per } = kinds[kind];
  return { figure, ...priced, isToken: kind === 'tokens', isTool: kind === 'tools' || kind === 'storage', nano, per };
};

export const countedUnits: readonly CountedUnit[] = rows.map(([figure, each]) => toUnit(figure, each));

/** Parts come before what they are a part of. */
export const units: readonly Unit[] = [...countedUnits, toUnit('requests', things('requests_kcount'))].sort(
  (one, other) => other.within.length - one.within.length,
);

const toolPrices = new Set(units.flatMap(({ price, isTool }) => (isTool ? price : [])));

/** Whether a price is one of what the provider runs beside the model. */
export const isToolPrice = (price: string): boolean => toolPrices.has(price);

/** A whole number from 0 to {@link maxTokens} (a fraction is cut off), or null for anything else. */
export function readCount(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= maxTokens)) return null;
  return Math.abs(Math.trunc(value));
}

const none = Object.fromEntries(rows.map(([name]) => [name, 0])) as Usage;
const limits = rows.map(([name, { kind }]) => ({ name, isLength: kind === 'seconds', most: kinds[kind].most }));

/** Usage that adds up of any input: invalid figures become 0, lengths are rounded, and no part is larger than its whole. */
export function makeUsage(given: { readonly [name in keyof Usage]?: unknown }): Usage {
  const usage: Usage = { ...none };
  for (const { name, isLength, most } of limits) {
    const value = given[name];
    if (typeof value !== 'number' || !(value > 0 && value <= maxTokens)) continue;
    usage[name] = Math.min(isLength ? Math.round(value) : Math.trunc(value), most);
  }
  const { promptTokens: input, completionTokens: output } = usage;
  usage.cacheReadTokens = Math.min(usage.cacheReadTokens, input);
  usage.cacheWriteTokens = Math.min(usage.cacheWriteTokens, input - usage.cacheReadTokens);
  usage.cacheWrite1hTokens = Math.min(usage.cacheWrite1hTokens, usage.cacheWriteTokens);
  usage.cacheWrite12hTokens = Math.min(usage.cacheWrite12hTokens, usage.cacheWriteTokens - usage.cacheWrite1hTokens);
  if (usage.inputAudioTokens + usage.inputImageTokens + usage.inputVideoTokens > 0) fitInputMedia(usage);
  else usage.cacheReadAudioTokens = usage.cacheReadImageTokens = 0;
  usage.outputAudioTokens = Math.min(usage.outputAudioTokens, output);
  usage.outputImageTokens = Math.min(usage.outputImageTokens, output - usage.outputAudioTokens);
  usage.outputVideoTokens = Math.min(
    usage.outputVideoTokens,
    output - usage.outputAudioTokens - usage.outputImageTokens,
  );
  const media = usage.outputAudioTokens + usage.outputImageTokens + usage.outputVideoTokens;
  usage.reasoningTokens = Math.min(usage.reasoningTokens, output - media);
  usage.annotatedPages = Math.min(usage.annotatedPages, usage.inputPages);
  return usage;
}

/** Not every provider splits cached input by kind: media that would not fit into the prompt otherwise must be cached. */
function fitInputMedia(usage: Usage): void {
  const { promptTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const audio = Math.min(usage.inputAudioTokens, promptTokens);
  const image = Math.min(usage.inputImageTokens, promptTokens - audio);
  const video = Math.min(usage.inputVideoTokens, promptTokens - audio - image);
  const cachedAudio = Math.min(usage.cacheReadAudioTokens, cacheReadTokens, audio);
  const cachedImage = Math.min(usage.cacheReadImageTokens, cacheReadTokens - cachedAudio, image);
  const overlap = cacheReadTokens + cacheWriteTokens + audio + image + video - promptTokens - cachedAudio - cachedImage;
  let unassigned = Math.max(0, Math.min(overlap, cacheReadTokens - cachedAudio - cachedImage));
  const take = (bound: number): number => {
    const taken = Math.min(unassigned, bound);
    unassigned -= taken;
    return taken;
  };
  usage.inputAudioTokens = audio;
  usage.inputImageTokens = image;
  usage.inputVideoTokens = video - take(video);
  usage.cacheReadAudioTokens = cachedAudio + take(audio - cachedAudio);
  usage.cacheReadImageTokens = cachedImage + take(image - cachedImage);
}
