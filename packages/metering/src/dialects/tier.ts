import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderApi } from '@agp/core/operations';
import { listHeaders } from './headers.ts';

const plainTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']);

const plainGeos = new Set(['', 'global', 'not_available']);

/**
 * In lower case, without the prefix of Google's names; null for one that costs no more than the standard, and for no text. Agents name
 * it, so it stays one tier: `+` would make it several.
 */
export function foldTier(value: unknown, kind: 'tier' | 'geo' = 'tier'): string | null {
  if (typeof value !== 'string') return null;
  const tier = value
    .toLowerCase()
    .replace(/^(?:service_tier_)+/, '')
    .replaceAll('+', ' ');
  if (kind === 'geo') return plainGeos.has(tier) ? null : `geo_${tier}`;
  return plainTiers.has(tier) ? null : tier;
}

/** Folded as in bodies; null if it costs no more than the standard. Repeated, it is an unknown one. */
export function readTierHeader(headers: IncomingHttpHeaders): string | null {
  const tiers: string[] = [];
  for (const name of listHeaders('tier')) {
    const given = headers[name];
    if (given === undefined) continue;
    for (const value of [given].flat()) {
      const tier = foldTier(value);
      if (tier !== null) tiers.push(tier);
    }
  }
  return tiers.length === 0 ? null : tiers.join(', ');
}

/** What served a call: AWS' latency is no tier of service, and its plain one has the name of the plain tier. */
export function joinServed(tier: string | null, latency: string | null): string | null {
  if (latency === null) return tier;
  const told = latency === 'standard' ? plainLatency : latency;
  return tier === null ? told : `${tier}+${told}`;
}

const plainLatency = 'normal_latency';

const [servedNames, latencyNames] = [listHeaders('served'), listHeaders('latency')];

/** What served a call by its answer's body, and its head, as Gemini's and AWS' name it. */
export function readAnswerTier(told: string | null, headers: IncomingHttpHeaders | null): string | null {
  let tier = told;
  let latency: string | null = null;
  // Node joins what an answer repeats.
  for (const name of servedNames) tier ??= headers?.[name]?.toString() ?? null;
  for (const name of latencyNames) latency ??= headers?.[name]?.toString() ?? null;
  return latency === null ? tier : joinServed(tier, latency);
}

/** What multiplies a price, each by names of its own; whatever has none of these is a tier of service. */
const kinds = [/^geo_/, /^(?:fast|normal_speed)$/, /^(?:\d+[pk]|silent)$/, /^(?:optimized|normal_latency)$/];

/** OpenAI's `fast` is a tier of service; Anthropic's a speed beside it. */
const kindOf = (tier: string, api?: ProviderApi) =>
  tier === 'fast' && api === 'openai' ? -1 : kinds.findIndex((names) => names.test(tier));

/** What an answer tells to have cost no more. */
const plainServed = new Set(['geo_global', 'normal_speed', '720p', plainLatency]);

const untold = new Set(['', 'auto', 'unspecified']);

/**
 * What multiplies the price of a call, joined by `+`: of each kind what the answer tells, else what was asked for; null for nothing.
 */
export function joinTiers(served: string | null, asked: readonly string[], api?: ProviderApi): string | null {
  if (served === null && asked.length === 0) return null;
  const listed = (served ?? '').toLowerCase().split('+');
  const told = listed.filter((tier) => !untold.has(tier.replace(/^service_tier_/, '')));
  const toldKinds = new Set(told.map((tier) => kindOf(tier, api)));
  const untoldTiers = asked.flatMap((tiers) => tiers.split('+')).filter((tier) => !toldKinds.has(kindOf(tier, api)));
  return [...told.filter((tier) => !plainServed.has(tier)), ...untoldTiers].join('+') || null;
}
