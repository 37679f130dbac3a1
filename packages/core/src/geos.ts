import { readBedrockName } from './bedrock.ts';

/**
 * Where calls are processed, as policies and PROVIDERS_FILE name it: the EU as a whole, other countries by ISO 3166, and `uk`. At OpenAI
 * and Anthropic `eu` may include the EEA and Switzerland.
 */
export const geos = [
  ...(['eu', 'uk', 'ch', 'no', 'us', 'ca', 'mx', 'br', 'cl', 'au', 'nz', 'jp', 'kr', 'in', 'sg', 'tw', 'hk'] as const),
  ...(['id', 'th', 'my', 'cn', 'za', 'ae', 'sa', 'qa', 'il', 'tr'] as const),
] as const;

export type Geo = (typeof geos)[number];

export const toGeo = (text: unknown): Geo | null => geos.find((geo) => geo === text) ?? null;

/** Geographies within one of ours; of others, such as `apac`, none is sure. */
const ofProfile: ReadonlyMap<string, Geo> = new Map([
  ['us', 'us'],
  ['us-gov', 'us'],
  ['eu', 'eu'],
  ['jp', 'jp'],
  ['au', 'au'],
  ['ca', 'ca'],
  ['in', 'in'],
  ['il', 'il'],
  ['mx', 'mx'],
]);

/** What a model's profile keeps to: null if that is none of ours, undefined if its name has no profile. */
export function readProfileGeo(model: string): Geo | null | undefined {
  const { profile = null } = readBedrockName(model) ?? {};
  return profile === null ? undefined : (ofProfile.get(profile) ?? null);
}
