import { expect, test } from 'vitest';
import { createPriceUsage, type PricedCall } from './charge.ts';
import { makeUsage, type Usage } from './figures.ts';
import { createPriceLister } from './list.ts';
import { priceVersion } from './merge.ts';
import { ourVersion } from './prices.ts';

// Costs of calls by the providers' public lists, worked out by hand: each sum shows its parts, as
// millions of tokens (M), or units, times the listed price in USD.

const priceUsage = createPriceUsage();
const M = 1_000_000;
const noon = new Date('2026-11-20T12:00:00Z');
const night = new Date('2026-11-20T20:00:00Z');

const regional = (mark: string) => `${priceVersion}, regional${mark.replace('supplement', ourVersion)}`;
const hour = { promptTokens: 2 * M, cacheWriteTokens: M, cacheWrite1hTokens: M };
const sound = { promptTokens: 3_000, inputAudioTokens: 2_000, completionTokens: 3_000, outputAudioTokens: 3_000 };

const servers = {
  openai: ['openai', 'openai', 'https://api.openai.com/'],
  anthropic: ['anthropic', 'anthropic', 'https://api.anthropic.com/'],
  gemini: ['gemini', 'gemini', 'https://generativelanguage.googleapis.com/'],
  deepseek: ['deepseek', 'openai', 'https://api.deepseek.com/'],
  xai: ['xai', 'openai', 'https://api.x.ai/v1'],
  groq: ['groq', 'openai', 'https://api.groq.com/openai'],
  mistral: ['mistral', 'openai', 'https://api.mistral.ai/'],
  openrouter: ['router', 'openai', 'https://openrouter.ai/api'],
  together: ['together', 'openai', 'https://api.together.xyz/'],
  perplexity: ['perplexity', 'openai', 'https://api.perplexity.ai/'],
  bedrock: ['bedrock', 'openai', 'https://bedrock-runtime.us-east-1.amazonaws.com/openai'],
  vertex: ['vertex', 'anthropic', 'https://us-east5-aiplatform.googleapis.com/'],
  global: ['vertex', 'openai', 'https://aiplatform.googleapis.com/'],
  gateway: ['own', 'openai', 'http://10.0.0.1:4000/'],
  azure: ['azure', 'openai', 'https://example.openai.azure.com/openai'],
} as const;

type Server = keyof typeof servers;
type Rest = Partial<Pick<PricedCall, 'serviceTier' | 'at'>> & { version?: string };

function makeCall(server: Server, model: string, usage: Partial<Usage>, rest: Rest): PricedCall {
  const [provider, api, baseUrl] = servers[server];
  const { version: _, ...given } = rest;
  return { provider, api, baseUrl, model, usage: makeUsage(usage), at: noon, ...given };
}

const io = (promptTokens: number, completionTokens: number, parts: Partial<Usage> = {}) => ({
  promptTokens,
  completionTokens,
  ...parts,
});

const cached = (cacheReadTokens: number) => ({ cacheReadTokens });
const reasoned = (reasoningTokens: number) => ({ reasoningTokens });
const marked = (serviceTier: string, mark: string) => ({ serviceTier, version: `${priceVersion}, ${mark}` });
const atHalf = (tier: string) => marked(tier, `${tier.toLowerCase()} at half`);
const atStandard = (tier: string) => marked(tier, `${tier} at the standard price`);
const supplemented = { version: `${priceVersion} + ${ourVersion}` };

const onDay = (day: string, serviceTier?: string, times?: number) => ({
  at: new Date(`${day}T12:00:00Z`),
  version: `${priceVersion} + ${ourVersion}${serviceTier ? `, ${serviceTier} at ${times} times` : ''}`,
  ...(serviceTier && { serviceTier }),
});

const table: [what: string, server: Server, model: string, Partial<Usage>, usd: number, Rest?][] = [
  ['one token each', 'openai', 'gpt-4o-mini', io(1, 1), 0.00000015 + 0.0000006],
  ['in and out', 'openai', 'gpt-4o', io(M, M), 2.5 + 10],
  ['a dated name', 'openai', 'gpt-4o-2024-08-06', io(M, 0), 2.5],
  ['half of the input cached', 'openai', 'gpt-4o', io(M, 0, cached(M / 2)), 0.5 * 2.5 + 0.5 * 1.25],
  ['one cached token', 'openai', 'gpt-4o-mini', io(1, 0, cached(1)), 0.000000075],
  ['cached at a tenth', 'openai', 'gpt-5', io(12_000, 0, cached(10_240)), 0.0022 + 0.00128],
  ['reasoning is output', 'openai', 'o3', io(0, M, reasoned(900_000)), 8],
  [
    'reasoning and cache',
    'openai',
    'o4-mini',
    io(2_000, 1_500, { ...cached(1_024), reasoningTokens: 1_280 }),
    0.0010736 + 0.0002816 + 0.0066,
  ],
  [
    'audio in and out',
    'openai',
    'gpt-audio',
    io(M, M, { inputAudioTokens: M / 2, outputAudioTokens: M / 2 }),
    0.5 * 2.5 + 0.5 * 32 + 0.5 * 10 + 0.5 * 64,
  ],
  [
    'cached audio, cheaper than new audio',
    'openai',
    'gpt-realtime',
    io(3_000, 0, { ...cached(2_000), inputAudioTokens: 2_000, cacheReadAudioTokens: 1_500 }),
    0.002 + 0.0002 + 0.0006 + 0.016,
  ],
  ['embeddings', 'openai', 'text-embedding-3-small', io(M, 0), 0.02],
  [
    'transcription by tokens',
    'openai',
    'gpt-4o-transcribe',
    io(1_000, 200, { inputAudioTokens: 990 }),
    0.000025 + 0.00594 + 0.002,
  ],
  ['transcription by the second', 'openai', 'whisper-1', { inputAudioSeconds: 90 }, 1.5 * 0.006],
  ['a second of transcription', 'openai', 'whisper-1', { inputAudioSeconds: 1 }, 0.0001],
  ['speech by characters', 'openai', 'tts-1', { inputCharacters: 4_096 }, 0.06144, supplemented],
  ['speech of the better kind', 'openai', 'tts-1-hd', { inputCharacters: 4_096 }, 0.12288, supplemented],
  ['an image by tokens', 'openai', 'gpt-image-1', io(50, 4_160), 0.00025 + 0.1664],
  [
    'an image from an image',
    'openai',
    'gpt-image-1',
    io(373, 272, { inputImageTokens: 323 }),
    0.00025 + 0.00323 + 0.01088,
  ],
  ['web searches by the call', 'openai', 'gpt-5', io(1_000, 100, { webSearches: 2 }), 0.00125 + 0.001 + 0.02],
  ['flex', 'openai', 'gpt-5', io(M, M, cached(M / 2)), (0.625 + 0.0625 + 10) / 2, atHalf('flex')],
  [
    'batch, whose tools cost what they always do',
    'openai',
    'gpt-5',
    io(M, 0, { webSearches: 1 }),
    0.625 + 0.01,
    atHalf('batch'),
  ],
  ['half of an odd price', 'openai', 'gpt-4o-mini', io(1, 0, cached(1)), 0.000000038, atHalf('batch')],
  ['the default tier', 'openai', 'gpt-5', io(M, 0), 1.25, { serviceTier: 'default' }],
  ['priority', 'openai', 'gpt-5', io(M, 0), 2.5, marked('priority', 'priority at 2 times')],
  ['a tier whose price nobody lists', 'openai', 'gpt-5', io(M, 0), 1.25, atStandard('scale')],

  ['input excludes nothing', 'anthropic', 'claude-haiku-4-5', io(2_095, 503), 0.002095 + 0.002515],
  [
    'cache written for 5 minutes, for an hour, and read',
    'anthropic',
    'claude-opus-4-5',
    io(4 * M, M, { ...cached(M), cacheWriteTokens: 2 * M, cacheWrite1hTokens: M }),
    5 + 0.5 + 6.25 + 10 + 25,
  ],
  [
    'cache written for 5 minutes',
    'anthropic',
    'claude-opus-4-1',
    io(10_000, 0, { cacheWriteTokens: 9_000 }),
    0.015 + 0.16875,
  ],
  [
    'cache written for an hour',
    'anthropic',
    'claude-haiku-4-5',
    io(10_000, 0, { cacheWriteTokens: 9_000, cacheWrite1hTokens: 9_000 }),
    0.001 + 0.018,
  ],
  ['cache read', 'anthropic', 'claude-haiku-4-5', io(10_000, 0, cached(9_000)), 0.001 + 0.0009],
  ['web searches per 1,000', 'anthropic', 'claude-opus-4-5', { webSearches: 3 }, 0.03],
  [
    'a batch halves the caches too',
    'anthropic',
    'claude-opus-4-5',
    io(3 * M, M, { ...cached(M), cacheWriteTokens: M }),
    (5 + 0.5 + 6.25 + 25) / 2,
    atHalf('batch'),
  ],
  ['standard', 'anthropic', 'claude-opus-4-5', io(M, 0), 5, { serviceTier: 'standard' }],
  ['committed capacity', 'anthropic', 'claude-opus-4-5', io(M, 0), 5, atStandard('priority')],

  ['up to its step', 'gemini', 'gemini-2.5-pro', io(200_000, 1_000), 0.25 + 0.01],
  ['past its step, where all of the call pays more', 'gemini', 'gemini-2.5-pro', io(200_001, 1_000), 0.5000025 + 0.015],
  ['past its step, cached', 'gemini', 'gemini-2.5-pro', io(300_000, 0, cached(100_000)), 0.5 + 0.025],
  ['audio in', 'gemini', 'gemini-2.5-flash', io(M, 0, { inputAudioTokens: M }), 1],
  [
    'audio in, partly cached',
    'gemini',
    'gemini-2.5-flash',
    io(3_000, 0, { inputAudioTokens: 2_000, cacheReadTokens: 1_000, cacheReadAudioTokens: 1_000 }),
    0.0003 + 0.001 + 0.0001,
  ],
  ['thoughts are output', 'gemini', 'gemini-2.5-flash', io(100, 1_000, reasoned(800)), 0.00003 + 0.0025],
  ['cached text', 'gemini', 'gemini-2.5-flash', io(10_000, 0, cached(8_000)), 0.0006 + 0.00024],
  ['an image made', 'gemini', 'gemini-2.5-flash-image', io(10, 1_290, { outputImageTokens: 1_290 }), 0.000003 + 0.0387],
  ['embeddings', 'gemini', 'gemini-embedding-001', io(2_000, 0), 0.0003],
  ['flex', 'gemini', 'gemini-2.5-flash', io(M, M), (0.3 + 2.5) / 2, atHalf('FLEX')],

  ['by day', 'deepseek', 'deepseek-reasoner', io(M, 0, cached(M / 2)), 0.275 + 0.07],
  ['by night', 'deepseek', 'deepseek-reasoner', io(M, M, cached(M / 2)), 0.0675 + 0.0175 + 0.55, { at: night }],
  ['reasoning is output', 'deepseek', 'deepseek-reasoner', io(1_000, 2_000, reasoned(1_900)), 0.00055 + 0.00438],
  ['cached', 'xai', 'grok-4', io(10_000, 1_000, cached(4_000)), 0.018 + 0.003 + 0.015],
  ['reasoning is output', 'xai', 'grok-3-mini', io(1_000, 1_000, reasoned(900)), 0.0003 + 0.0005],
  ['in and out', 'groq', 'llama-3.3-70b-versatile', io(M, M), 0.59 + 0.79],
  [
    'flex costs the same there',
    'groq',
    'llama-3.3-70b-versatile',
    io(M, 0),
    0.59,
    { serviceTier: 'flex', version: `${priceVersion}, flex` },
  ],
  ['on demand', 'groq', 'llama-3.1-8b-instant', io(M, M), 0.05 + 0.08, { serviceTier: 'on_demand' }],
  ['transcription by the hour', 'groq', 'whisper-large-v3-turbo', { inputAudioSeconds: 3_600 }, 0.04],
  ['ten seconds of it at the least', 'groq', 'whisper-large-v3-turbo', { inputAudioSeconds: 1 }, 0.000111111],
  ['to the nano-dollar', 'groq', 'whisper-large-v3-turbo', { inputAudioSeconds: 11 }, 0.000122222],
  ['in and out', 'mistral', 'mistral-small-latest', io(M, M), 0.1 + 0.3],
  ['code', 'mistral', 'codestral-latest', io(10_000, 1_000), 0.003 + 0.0009],
  ['batch', 'mistral', 'mistral-small-latest', io(M, M), 0.2, atHalf('batch')],
  ['what it asks, not what its supplier does', 'openrouter', 'openai/gpt-4o-mini', io(M, M), 0.15 + 0.6],
  ['a free model', 'openrouter', 'deepseek/deepseek-chat:free', io(M, M), 0],
  ['in and out', 'together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', io(M, M), 0.88 + 0.88],
  ['a price for each request', 'perplexity', 'sonar-pro', io(1_000, 100), 0.003 + 0.0015 + 0.014],
  ['a region that costs a tenth more', 'bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', io(M, M), 1.1 + 5.5],
  [
    'all regions',
    'bedrock',
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    io(1_000, 1_000, cached(500)),
    0.0015 + 0.00015 + 0.015,
  ],
  ['its own model', 'bedrock', 'amazon.nova-pro-v1:0', io(M, M), 0.8 + 3.2],
  ['an open model', 'bedrock', 'openai.gpt-oss-120b-1:0', io(M, M), 0.15 + 0.6],
  ['in and out, cached', 'azure', 'gpt-4o-mini', io(M, M, cached(M / 2)), 0.075 + 0.0375 + 0.6],
  ['global batch', 'azure', 'gpt-5', io(M, M), (1.25 + 10) / 2, atHalf('batch')],
  ['sound', 'azure', 'gpt-4o-mini-audio-preview', sound, 0.15 * 0.001 + 10 * 0.002 + 20 * 0.003, supplemented],
  ['sound', 'openai', 'gpt-4o-audio-preview-2025-06-03', sound, 0.0025 + 40 * 0.002 + 80 * 0.003, supplemented],
  [
    'a tuned model',
    'openai',
    'ft:gpt-4.1-2025-04-14:org:name:1',
    io(M, M, cached(M / 2)),
    1.5 + 0.375 + 12,
    supplemented,
  ],
  ['a tuned model', 'openai', 'ft:gpt-4.1-mini-2025-04-14:org::1', io(M, M), 0.8 + 3.2, supplemented],
  ['kept for an hour', 'bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', hour, 1.1 + 2.2, supplemented],
  ['kept for an hour', 'vertex', 'claude-opus-4-1@20250805', hour, 15 + 30, { version: regional(' + supplement') }],
  ['a region', 'vertex', 'claude-haiku-4-5@20251001', io(M, M), 1.1 + 5.5, { version: regional(' at 1.1 times') }],
  ['all regions', 'global', 'claude-haiku-4-5@20251001', io(M, M), 1 + 5],
  ['a name with its publisher', 'global', 'google/gemini-2.5-flash', io(M, M), 0.3 + 2.5],
  ['a name with its path', 'gemini', 'models/gemini-2.5-flash', io(M, M), 0.3 + 2.5],
  ['a name with its vendor', 'gateway', 'openai/gpt-4o-mini', io(M, M), 0.15 + 0.6],
  ["another vendor's model there", 'azure', 'grok-4', io(M, 0), 3],
  ['before its cache was cheaper', 'anthropic', 'claude-sonnet-5-5', io(M, 0, cached(M)), 0.2, onDay('2026-10-06')],
  ['since then', 'anthropic', 'claude-sonnet-5-5', io(M, 0, cached(M)), 0.1, onDay('2026-10-07')],
  ['a dated edition', 'anthropic', 'claude-haiku-5-5-20261007', io(100_000, 0), 0.01, supplemented],
  ['past its step', 'anthropic', 'claude-haiku-5-5', io(100_001, 1_000), 0.0500005 + 0.0025, supplemented],
  ['an edition at Vertex AI', 'global', 'claude-fable-5-2@20261109', io(M, 0), 8, supplemented],
  ['until its price doubles', 'gemini', 'gemini-4-carbon', io(M, M, cached(M / 2)), 1 + 0.05 + 10, supplemented],
  ['from then on', 'gemini', 'gemini-4-carbon', io(M, M, cached(M / 2)), 2 + 0.1 + 20, onDay('2026-12-01')],
  ['ultrafast', 'openai', 'gpt-6.2-sol', io(1_000, 0), 0.006, onDay('2027-02-28', 'ultrafast', 3)],
  ['ultrafast later', 'openai', 'gpt-6.2-sol', io(1_000, 0), 0.012, onDay('2027-03-01', 'ultrafast', 6)],
  ['at Azure', 'azure', 'gpt-6.1-terra', io(1_000, 0), 0.001, supplemented],
];

test.each(table)('%s: %s, %s', (_what, server, model, usage, usd, rest = {}) => {
  expect(priceUsage(makeCall(server, model, usage, rest))).toEqual({
    costNanoUsd: Math.round(usd * 1e9),
    priceVersion: rest.version ?? priceVersion,
    priced: true,
  });
});

test.each([
  ['anthropic', 'claude-sonnet-5-9', 2],
  ['bedrock', 'us.anthropic.claude-sonnet-5-9-v1:0', 2.2],
  ['gemini', 'gemini-3.8-flash-ultra', 0.75],
] as const)('at %s, %s is charged as an older model, which is told', (server, model, usd) => {
  const { costNanoUsd, unpricedUnits } = priceUsage(makeCall(server, model, io(M, 0), {}));
  expect([costNanoUsd, unpricedUnits]).toEqual([usd * 1e9, ['own_price']]);
});

test('no model that the library lists is taken for another', () => {
  const lister = createPriceLister(null);
  const vendors = Object.values(servers).map(([provider, api, baseUrl]) => ({ provider, api, baseUrl }));
  for (const row of lister.list(vendors, noon)) {
    const [, api, baseUrl] = Object.values(servers).find(([provider]) => provider === row.provider) ?? servers.openai;
    const usage = makeUsage(io(M, M));
    const call = { provider: row.provider ?? '', api, baseUrl, model: row.model, at: noon, usage };
    expect(priceUsage(call).unpricedUnits ?? [], row.model).not.toContain('own_price');
  }
});
