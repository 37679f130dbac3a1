import { expect, test } from 'vitest';
import { nameBilled, readBedrockGeo } from './bedrock.ts';
import { createPriceUsage } from './charge.ts';
import { makeUsage, type Usage } from './figures.ts';
import { readGeo } from './geos.ts';
import { priceVersion } from './merge.ts';
import { parsePriceFile } from './price-file.ts';
import { ourVersion } from './prices.ts';

const arn = (resource: string) => `arn:aws:bedrock:eu-central-1:123456789012:${resource}`;

const at = new Date('2026-11-27T12:00:00Z');
const priceUsage = createPriceUsage();
const priceAt = (baseUrl: string, model: string, usage: Partial<Usage>, serviceTier: string | null = null) =>
  priceUsage({ provider: 'cloud', api: 'anthropic', baseUrl, model, usage: makeUsage(usage), serviceTier, at });

const [runtime, mantle] = [
  'https://bedrock-runtime.eu-central-1.amazonaws.com',
  'https://bedrock-mantle.us-east-1.api.aws',
];
const M = 1_000_000;
const read = { promptTokens: M, cacheReadTokens: M };
const hour = { promptTokens: M, cacheWriteTokens: M, cacheWrite1hTokens: M };
const few = { promptTokens: 1_000, completionTokens: 1_000 };
const sonnet = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

const ours = ` + ${ourVersion}`;
const tenth = ', regional at 1.1 times';

/** By hand: the maker's list for all regions, a tenth more for one and for a geography. */
test.each<[model: string, Partial<Usage>, usd: number, version: string]>([
  ['global.anthropic.claude-sonnet-5-5-v1:0', read, 0.1, ours],
  ['global.anthropic.claude-sonnet-5-5-v1:0', hour, 4, ours],
  ['us-gov.anthropic.claude-sonnet-5-5-v1:0', read, 0.11, ours + tenth],
  ['anthropic.claude-haiku-5-5-20261007-v1:0', few, 0.00011 + 0.00055, ours + tenth],
  ['anthropic.claude-haiku-5-5-v1:0', hour, 0.2 * 5 * 1.1, ours + tenth],
  ['anthropic.claude-fable-5-2', { promptTokens: M, cacheWriteTokens: M }, 11, ours + tenth],
  ['claude-fable-5-2', { promptTokens: M }, 8.8, ours + tenth],
  [`eu.${sonnet}`, { promptTokens: M, completionTokens: M }, 3.3 + 16.5, ''],
  [`ca.${sonnet}`, { promptTokens: M, completionTokens: M }, 3.3 + 16.5, ''],
  [`global.${sonnet}`, { promptTokens: M, completionTokens: M }, 3 + 15, ''],
  [arn(`inference-profile/us.${sonnet}`), { promptTokens: M, completionTokens: M }, 3.3 + 16.5, ''],
  [arn('inference-profile/global.anthropic.claude-fable-5-2-v1:0'), read, 0.2, ours],
  [arn(`application-inference-profile/a1b2c3#us.${sonnet}`), { promptTokens: M, completionTokens: M }, 3.3 + 16.5, ''],
  ['arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.claude-opus-5-5', read, 0.22, ''],
  ['us.anthropic.claude-haiku-4-5', few, 0.0011 + 0.0055, ` of anthropic${tenth}`],
  ['us.anthropic.claude-opus-4-1', few, 0.015 + 0.075, ' of anthropic, regional'],
  ['global.openai.gpt-6-sol', few, 0.002 + 0.01, ' of openai'],
  ['openai.gpt-6-sol', few, 0.0022 + 0.011, ` of openai${tenth}`],
  ['us.openai.gpt-6.2-sol', few, 0.0022 + 0.011, ours + tenth],
  ['us.openai.gpt-5.6-sol', few, 0.0044 + 0.022, ''],
])('at Bedrock %s, %j, costs %d USD%s', (model, usage, usd, version) => {
  const priced = { costNanoUsd: Math.round(usd * 1e9), priceVersion: priceVersion + version, priced: true };
  for (const baseUrl of [runtime, mantle]) expect(priceAt(baseUrl, model, usage)).toEqual(priced);
});

test("an operator's price of a model holds for its ARNs, one of its bare name for all, one of an application's ARN for that", () => {
  const entry = (model: string) =>
    parsePriceFile(JSON.stringify([{ model, prices: { input_mtok: 1, output_mtok: 2 } }]));
  const ofApplication = arn('application-inference-profile/a1b2c3');
  for (const model of [`us.${sonnet}`, sonnet, 'claude-sonnet-4-5-20250929', ofApplication]) {
    const call = {
      provider: 'cloud',
      api: 'anthropic',
      baseUrl: runtime as string,
      usage: makeUsage(few),
      at,
    } as const;
    const names = [
      `${ofApplication}#us.${sonnet}`,
      model === ofApplication ? model : arn(`inference-profile/us.${sonnet}`),
    ];
    for (const name of names)
      expect(createPriceUsage(entry(model))({ ...call, model: name }).costNanoUsd).toBe(3_000_000);
  }
});

test.each([
  ['global.openai.gpt-6-astra', 'ultrafast', 0.06 + 0.3, ' of openai, ultrafast at 6 times'],
  ['openai.gpt-6-astra', 'ultrafast', 0.066 + 0.33, ` of openai, ultrafast at 6 times${tenth}`],
  ['global.anthropic.claude-fable-5-2', 'reserved', 0.008 + 0.04, `${ours}, reserved at the standard price`],
])('%s in the tier %s costs %d USD', (model, tier, usd, version) => {
  const priced = priceAt(mantle, model, few, tier);
  expect([priced.costNanoUsd, priced.priceVersion]).toEqual([Math.round(usd * 1e9), priceVersion + version]);
});

test.each([
  'global.moonshotai.kimi-k3',
  arn('application-inference-profile/a1b2c3d4e5f6'),
  arn('provisioned-model/a1b2c3d4e5f6'),
  arn('prompt/ABCDEF1234:1'),
])('%s has no price', (model) => {
  expect(priceAt(runtime, model, few).priced).toBe(false);
});

test.each([
  ['bedrock-runtime.eu-central-1.amazonaws.com', 'eu'],
  ['bedrock-runtime.eu-west-2.amazonaws.com.', 'uk'],
  ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us'],
  ['bedrock-mantle.ap-northeast-1.api.aws', 'jp'],
  ['bedrock-runtime.eu-nowhere-9.amazonaws.com', null],
  ['bedrock-runtime.eu-central-1.amazonaws.com.example.com', undefined],
  ['bedrock-agent.eu-central-1.amazonaws.com', undefined],
])('%s is in %s', (host, geo) => {
  expect(readGeo(new URL(`https://${host}/openai/v1`), '/openai/v1/responses')).toBe(geo);
});

test.each([
  ['anthropic.claude-opus-5-v1:0', 'eu', 'eu'],
  ['eu.anthropic.claude-opus-5-v1:0', 'eu', 'eu'],
  ['us-gov.anthropic.claude-opus-5-v1:0', 'us', 'us'],
  ['jp.anthropic.claude-opus-5-v1:0', 'jp', 'jp'],
  ['global.anthropic.claude-opus-5-v1:0', 'eu', null],
  ['apac.anthropic.claude-opus-5-v1:0', 'jp', null],
  ['us.anthropic.claude-opus-5-v1:0', 'ca', null],
  ['eu.anthropic.claude-opus-5-v1:0', null, null],
  [arn('inference-profile/eu.anthropic.claude-opus-5-v1:0'), 'eu', 'eu'],
  [arn('inference-profile/global.anthropic.claude-opus-5-v1:0'), 'eu', null],
  [arn('application-inference-profile/a1b2c3d4e5f6'), 'eu', null],
  [arn('application-inference-profile/a1b2c3d4e5f6#eu.anthropic.claude-opus-5-v1:0'), 'eu', 'eu'],
  [arn('application-inference-profile/a1b2c3d4e5f6#global.anthropic.claude-opus-5-v1:0'), 'eu', null],
  [arn('default-prompt-router/anthropic.claude:1'), 'eu', null],
  [arn('provisioned-model/a1b2c3d4e5f6'), 'eu', 'eu'],
] as const)('%s at a host in %s runs in %s', (model, host, geo) => {
  expect(readBedrockGeo(model, host)).toBe(geo);
});

test.each([
  ['global.anthropic.claude-opus-5-v1:0', 'claude-opus-5', true],
  ['global.anthropic.claude-opus-5-v1:0', 'anthropic.claude-opus-5-20260901-v1:0', true],
  ['global.anthropic.claude-opus-5-v1:0', 'claude-opus-5-5', false],
  [arn('application-inference-profile/a1b2c3d4e5f6'), 'claude-opus-5', false],
  [arn('application-inference-profile/a1b2c3d4e5f6#eu.anthropic.claude-opus-5-v1:0'), 'claude-opus-5', true],
  ['claude-opus-5', 'claude-opus-5-20260901', false],
])('asked for as %s, an answer of %s is billed by that name: %s', (asked, answered, isBilled) => {
  expect(nameBilled(asked, answered)).toBe(isBilled ? asked : answered);
});
