import { holdsAt, type PriceEntry, type Prices } from './price-file.ts';

/** Where a figure was read, and when; a third party's word is marked, and to be checked against the vendor's page. */
interface Dated extends Pick<PriceEntry, 'from' | 'until'> {
  /** The vendor's id in the library. */
  provider: string;
  source: string;
  read: string;
  isThirdParty: boolean;
  /** When it holds; always, if it is missing. */
  hours?: Hours;
}

/** In UTC. */
interface Hours {
  /** Of the week, from 0 for Sunday. */
  days: readonly number[];
  spans: readonly (readonly [from: number, until: number])[];
}

/** Whether a row's time has come and not gone by. */
export function isInForce(row: Pick<Dated, 'from' | 'until' | 'hours'>, at: Date): boolean {
  const { days, spans } = row.hours ?? { days: [at.getUTCDay()], spans: [[0, 24]] };
  const hour = at.getUTCHours();
  return (
    holdsAt(row, at) && days.includes(at.getUTCDay()) && spans.some(([from, until]) => from <= hour && hour < until)
  );
}

/** One model's prices, in place of the library's for its time. */
export interface DatedEntry extends Dated {
  /** A whole name; dated editions of it cost the same. */
  model: string;
  prices: Prices;
}

/** What a tier's tokens cost in times of the list price: so many of so many. */
export interface DatedTimes extends Dated {
  tier: string;
  model: RegExp;
  times: bigint;
  of: bigint;
}

interface Told {
  source: string;
  by?: 'third party';
  from?: string;
  until?: string;
  hours?: Hours;
}

/** The day on which these pages were read last. */
const read = '2026-11-27';

const tell = <Fact>(providers: string, fact: Fact, { source, by, from, until, hours }: Told) =>
  providers.split(' ').map((provider) => ({
    ...{ provider, ...fact, source, read, isThirdParty: by === 'third party' },
    ...(from && { from: new Date(from) }),
    ...(until && { until: new Date(until) }),
    ...(hours && { hours }),
  }));

const price = (providers: string, models: string, prices: Prices, told: Told): DatedEntry[] =>
  models.split(' ').flatMap((model) => tell(providers, { model, prices }, told));

const times = (providers: string, tier: string, model: RegExp, factor: number, told: Told): DatedTimes[] =>
  tell(providers, { tier, model, times: BigInt(factor * 10), of: 10n }, told);

/** A model of OpenAI's: caches kept for 30 minutes, and another price for all of a call with more input than this. */
const gpt = (input: number, cached: number, output: number): Prices => {
  const above = (base: number, more: number) => ({ base, tiers: [{ start: 272_000, price: base * more }] });
  return {
    input_mtok: above(input, 2),
    cache_read_mtok: above(cached, 2),
    cache_write_mtok: above(input * 1.25, 2),
    output_mtok: above(output, 1.5),
  };
};

const claude = (input: number, cached: number, output: number) => ({
  input_mtok: input,
  cache_read_mtok: cached,
  cache_write_mtok: input * 1.25,
  cache_write_1h_mtok: input * 2,
  output_mtok: output,
});

const gemini = (input_mtok: number, cache_read_mtok: number, output_mtok: number) => ({
  input_mtok,
  cache_read_mtok,
  output_mtok,
});

/** DeepSeek's; a day of rest in China counts as any other here, so that its bill is up to twice too high. */
const peak: Hours = {
  days: [1, 2, 3, 4, 5],
  spans: [
    [1, 4],
    [6, 10],
  ],
};

/** A model of DeepSeek's, which costs twice as much at the peak. */
const deepseek = (models: string, input: number, cached: number, output: number, told: Told) => [
  price('deepseek', models, gemini(input * 2, cached * 2, output * 2), { ...told, hours: peak }),
  price('deepseek', models, gemini(input, cached, output), told),
];

const openai = 'https://developers.openai.com/api/docs/models/';
const anthropic = 'https://platform.claude.com/docs/en/';
const tokenMeter = 'https://github.com/iyulab/TokenMeter/releases/tag/v0.17.0';
const deepseekRates = 'https://github.com/headroomlabs-ai/headroom/pull/3575';
const bedrockAstra = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-openai-gpt-6-astra.html';
const argon = 'https://github.com/BerriAI/litellm/discussions/46238';

/** Haiku 5.5 costs five times as much from more than 100,000 tokens of input on. */
const haiku = Object.fromEntries(
  Object.entries(claude(0.1, 0.01, 0.5)).map(([unit, base]) => [
    unit,
    { base, tiers: [{ start: 100_000, price: base * 5 }] },
  ]),
);

/** Models that are newer than the library's list of 23 September 2026, or cost something else since. */
export const datedModels: readonly DatedEntry[] = [
  price('openai azure aws', 'gpt-6.1-sol', gpt(2, 0.1, 10), {
    source: 'https://github.com/amine123max/Codex-Manager/releases/tag/0.4.7',
    by: 'third party',
  }),
  price('openai azure aws', 'gpt-6.1-terra', gpt(1, 0.05, 5), {
    source: 'https://github.com/TheKrush/PromptFuel/releases/tag/v1.0.24',
    by: 'third party',
  }),
  price('openai azure aws', 'gpt-6.2-sol', gpt(2, 0.1, 10), { source: `${openai}gpt-6.2-sol` }),
  price('openai azure aws', 'gpt-6.2-astra', gpt(8, 0.4, 40), { source: tokenMeter, by: 'third party' }),
  // What gpt-image-2 costs, by https://developers.openai.com/api/docs/changelog of 8 September.
  price(
    'openai',
    'gpt-image-2.5-sunburst gpt-image-2.5-flare',
    { ...gemini(5, 1.25, 30), input_image_mtok: 8, cache_image_read_mtok: 2 },
    { source: 'https://developers.openai.com/api/docs/changelog' },
  ),
  price('anthropic google aws', 'claude-sonnet-5-5', claude(2, 0.2, 10), {
    source: `${anthropic}release-notes/overview`,
    until: '2026-10-07',
  }),
  price('anthropic google aws', 'claude-sonnet-5-5', claude(2, 0.1, 10), {
    source: `${anthropic}release-notes/overview`,
    from: '2026-10-07',
  }),
  price('anthropic google aws', 'claude-haiku-5-5', haiku, { source: `${anthropic}models/haiku-5-5/overview` }),
  price('anthropic google aws', 'claude-fable-5-2 claude-mythos-5-2', claude(8, 0.2, 40), {
    source: `${anthropic}release-notes/overview`,
  }),
  price('anthropic', 'claude-mythos-5-1', claude(10, 0.25, 50), { source: `${anthropic}about-claude/pricing` }),
  price('anthropic', 'claude-mythos-5', claude(10, 1, 50), { source: `${anthropic}about-claude/pricing` }),
  price('google', 'gemini-4-neon', gemini(3, 0.15, 15), { source: tokenMeter, by: 'third party' }),
  price('google', 'gemini-4-hydrogen', gemini(1.5, 0.075, 7.5), { source: tokenMeter, by: 'third party' }),
  price('google', 'gemini-4-argon gemini-4-carbon', gemini(2, 0.1, 10), {
    source: argon,
    by: 'third party',
    until: '2026-12-01',
  }),
  price('google', 'gemini-4-argon gemini-4-carbon', gemini(4, 0.2, 20), {
    source: argon,
    by: 'third party',
    from: '2026-12-01',
  }),
  // The first is 4.1, by which the other names are served.
  ...deepseek('deepseek-flash deepseek-v4-flash deepseek-v4-flash-vision-exp deepseek-chat', 0.15, 0.003, 0.6, {
    source: deepseekRates,
    by: 'third party',
    from: '2026-09-10',
  }),
  ...deepseek('deepseek-v4-pro', 0.66, 0.022, 1.98, { source: deepseekRates, by: 'third party', from: '2026-08-23' }),
].flat();

const fastMode = `${anthropic}build-with-claude/fast-mode`;

/** Times of tiers that `tierTimes` lacks; the first that holds counts. */
export const datedTimes: readonly DatedTimes[] = [
  times('openai', 'ultrafast', /^gpt-6\.2/, 3, { source: `${openai}gpt-6.2-sol`, until: '2027-03-01' }),
  times('openai', 'ultrafast', /^gpt-6\.2/, 6, { source: `${openai}gpt-6.2-sol`, from: '2027-03-01' }),
  times('openai', 'ultrafast', /^gpt-6\.1-sol/, 6, {
    source: 'https://docs.venice.ai/models/gpt-6-1-sol-ultrafast',
    by: 'third party',
  }),
  times('openai', 'ultrafast', /^gpt-6-astra/, 6, {
    source: 'https://apidog.com/jp/blog/openai-ultrafast-mode/',
    by: 'third party',
  }),
  times('aws', 'ultrafast', /gpt-6-astra/, 6, { source: bedrockAstra }),
  times('openai', 'priority', /^gpt-6/, 2, { source: `${openai}gpt-6-sol` }),
  times('openai', 'regional', /^gpt-6/, 1.1, { source: `${openai}gpt-6-sol` }),
  times('anthropic', 'fast', /opus-5|(?:fable|mythos)-5-2/, 2, { source: fastMode }),
  times('google', 'fast', /claude-(?:opus-5|(?:fable|mythos)-5-2)/, 2, {
    source: 'https://documentation.s3ns.fr/gemini-enterprise-agent-platform/models/partner-models/claude/fable-5-2',
    by: 'third party',
  }),
].flat();
