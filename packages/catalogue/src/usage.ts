/** `promptTokens` is all input, `completionTokens` all billed output; every other token figure is a part of one of them. */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is kept for an hour, which Anthropic prices separately. */
  cacheWrite1hTokens: number;
  inputAudioTokens: number;
  inputImageTokens: number;
  /** Video that was not read from the cache. */
  inputVideoTokens: number;
  cacheReadAudioTokens: number;
  cacheReadImageTokens: number;
  reasoningTokens: number;
  outputAudioTokens: number;
  outputImageTokens: number;
  outputVideoTokens: number;
  webSearches: number;
  /** OpenAI's earlier web search with a model that does not reason, which has its own price. */
  previewSearches: number;
  /** Searches of files, stores and collections that the caller keeps at the provider. */
  fileSearches: number;
  attachmentSearches: number;
  socialSearches: number;
  socialPosts: number;
  socialUsers: number;
  mapsSearches: number;
  rerankSearches: number;
  /** Pages that xAI's live search used, which it bills instead of searches. */
  searchSources: number;
  /** Runs of code, or the containers in which it ran, as the provider bills them. */
  codeExecutions: number;
  inputPages: number;
  annotatedPages: number;
  /** Sound and video in whole seconds, if the provider bills their length and not tokens. */
  inputAudioSeconds: number;
  outputAudioSeconds: number;
  outputVideoSeconds: number;
  inputCharacters: number;
  outputImages: number;
  /** What a cache was asked to keep, in tokens times hours. */
  storedTokenHours: number;
}

/** A figure above this counts as an error of the provider: no call comes near it. */
export const maxTokens = 1_000_000_000;

const none: Readonly<Usage> = {
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  inputAudioTokens: 0,
  inputImageTokens: 0,
  inputVideoTokens: 0,
  cacheReadAudioTokens: 0,
  cacheReadImageTokens: 0,
  reasoningTokens: 0,
  outputAudioTokens: 0,
  outputImageTokens: 0,
  outputVideoTokens: 0,
  webSearches: 0,
  previewSearches: 0,
  fileSearches: 0,
  attachmentSearches: 0,
  socialSearches: 0,
  socialPosts: 0,
  socialUsers: 0,
  mapsSearches: 0,
  rerankSearches: 0,
  searchSources: 0,
  codeExecutions: 0,
  inputPages: 0,
  annotatedPages: 0,
  inputAudioSeconds: 0,
  outputAudioSeconds: 0,
  outputVideoSeconds: 0,
  inputCharacters: 0,
  outputImages: 0,
  storedTokenHours: 0,
};

/** All figures, each with the most of it that is believed. */
const figures = (Object.keys(none) as (keyof Usage)[]).map((name) => {
  const isLength = name.endsWith('Seconds');
  return {
    name,
    isLength,
    most: /Tokens$|Characters$|Hours$/.test(name) ? maxTokens : isLength ? 10_000_000 : 100_000,
  };
});

/** A whole number from 0 to {@link maxTokens} (a fraction is cut off), or null for anything else. */
export function readCount(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= maxTokens)) return null;
  return Math.abs(Math.trunc(value));
}

/** Usage that adds up of any input: invalid figures become 0, lengths are rounded, and no part is larger than its whole. */
export function makeUsage(given: { readonly [name in keyof Usage]?: unknown }): Usage {
  const usage: Usage = { ...none };
  for (const { name, isLength, most } of figures) {
    const value = given[name];
    if (typeof value !== 'number' || !(value > 0 && value <= maxTokens)) continue;
    usage[name] = Math.min(isLength ? Math.round(value) : Math.trunc(value), most);
  }
  const { promptTokens: input, completionTokens: output } = usage;
  usage.cacheReadTokens = Math.min(usage.cacheReadTokens, input);
  usage.cacheWriteTokens = Math.min(usage.cacheWriteTokens, input - usage.cacheReadTokens);
  usage.cacheWrite1hTokens = Math.min(usage.cacheWrite1hTokens, usage.cacheWriteTokens);
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

export interface Unit {
  readonly priceKey: string;
  readonly usageKey: keyof Usage | 'requests';
  /** Units that this one is a part of: amounts charged here are not charged there. */
  readonly within: readonly string[];
  /** How many nano-dollars per unit one USD of the row's price is: `nano` of them for every `per` units. */
  readonly nano: bigint;
  readonly per: bigint;
}

const usd = 1_000_000_000n;

/** Amounts that one USD pays for, by the end of a price's name. */
const amounts = { _mtok: 1_000_000n, _mtok_hours: 1_000_000n, _mchars: 1_000_000n, _kcount: 1_000n, _kpages: 1_000n };

function unit<Key extends Unit['usageKey']>(priceKey: string, usageKey: Key, within: readonly string[] = []) {
  const amount = Object.entries(amounts).find(([ending]) => priceKey.endsWith(ending))?.[1];
  return { priceKey, usageKey, within, ...(amount ? { nano: usd / amount, per: 1n } : { nano: usd, per: 3_600n }) };
}

export const units = [
  unit('cache_audio_read_mtok', 'cacheReadAudioTokens', ['cache_read_mtok', 'input_audio_mtok', 'input_mtok']),
  unit('cache_image_read_mtok', 'cacheReadImageTokens', ['cache_read_mtok', 'input_image_mtok', 'input_mtok']),
  unit('cache_write_1h_mtok', 'cacheWrite1hTokens', ['cache_write_mtok', 'input_mtok']),
  unit('cache_read_mtok', 'cacheReadTokens', ['input_mtok']),
  unit('cache_write_mtok', 'cacheWriteTokens', ['input_mtok']),
  unit('input_audio_mtok', 'inputAudioTokens', ['input_mtok']),
  unit('input_image_mtok', 'inputImageTokens', ['input_mtok']),
  unit('input_video_mtok', 'inputVideoTokens', ['input_mtok']),
  unit('input_mtok', 'promptTokens'),
  unit('output_reasoning_mtok', 'reasoningTokens', ['output_mtok']),
  unit('output_audio_mtok', 'outputAudioTokens', ['output_mtok']),
  unit('output_image_mtok', 'outputImageTokens', ['output_mtok']),
  unit('output_video_mtok', 'outputVideoTokens', ['output_mtok']),
  unit('output_mtok', 'completionTokens'),
  unit('input_audio_hours', 'inputAudioSeconds'),
  unit('output_audio_hours', 'outputAudioSeconds'),
  unit('output_video_hours', 'outputVideoSeconds'),
  unit('input_mchars', 'inputCharacters'),
  unit('input_annotated_document_kpages', 'annotatedPages', ['input_document_kpages']),
  unit('input_document_kpages', 'inputPages'),
  unit('output_images_kcount', 'outputImages'),
  unit('web_searches_kcount', 'webSearches'),
  unit('preview_searches_kcount', 'previewSearches'),
  unit('storage_searches_kcount', 'fileSearches'),
  unit('attachment_searches_kcount', 'attachmentSearches'),
  unit('social_searches_kcount', 'socialSearches'),
  unit('social_posts_kcount', 'socialPosts'),
  unit('social_users_kcount', 'socialUsers'),
  unit('maps_searches_kcount', 'mapsSearches'),
  unit('rerank_searches_kcount', 'rerankSearches'),
  unit('search_sources_kcount', 'searchSources'),
  unit('code_executions_kcount', 'codeExecutions'),
  unit('cache_storage_mtok_hours', 'storedTokenHours'),
  unit('requests_kcount', 'requests'),
] as const satisfies readonly Unit[];

export interface CountedUnit extends Unit {
  readonly usageKey: keyof Usage;
}

export const countedUnits: readonly CountedUnit[] = units.flatMap((unit) => (unit.usageKey === 'requests' ? [] : unit));

/** What the provider runs beside the model. */
export function isTool({ priceKey }: Pick<Unit, 'priceKey'>): boolean {
  return /_(?:searches|sources|posts|users|executions)_kcount$|^cache_storage_/.test(priceKey);
}

/** Whether a unit counts tokens, to which discounts of service tiers apply. */
export function isToken({ priceKey }: Unit): boolean {
  return priceKey.endsWith('_mtok');
}
