import type { Geo } from '@agp/core/geos';
import { readBedrockRegion, regions } from './bedrock.ts';

/** Hosts of OpenAI that process in their region; others store there alone (https://developers.openai.com/api/docs/guides/data-residency). */
const openaiHosts = /^(us|eu|au|in|jp)\.api\.openai\.com$/;

/** Locations of Vertex AI, without those for which Google does not say where models run (https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/data-residency). */
const locations: Partial<Record<Geo, string>> = {
  us: 'us us-central1 us-east1 us-east4 us-east5 us-south1 us-west1 us-west2 us-west3 us-west4',
  eu: `eu europe-central2 europe-north1 europe-north2 europe-southwest1 europe-west1 europe-west3 europe-west4 europe-west8
    europe-west9 europe-west10 europe-west12`,
  uk: 'europe-west2',
  ch: 'europe-west6',
  ca: 'northamerica-northeast1 northamerica-northeast2',
  mx: 'northamerica-south1',
  br: 'southamerica-east1',
  cl: 'southamerica-west1',
  au: 'australia-southeast1 australia-southeast2',
  jp: 'asia-northeast1 asia-northeast2',
  kr: 'asia-northeast3',
  in: 'asia-south1 asia-south2',
  sg: 'asia-southeast1',
  id: 'asia-southeast2',
  tw: 'asia-east1',
  hk: 'asia-east2',
  za: 'africa-south1',
};

const toMap = (geos: Partial<Record<Geo, string>>) =>
  new Map(
    Object.entries(geos).flatMap(([geo, names]) => names.split(/\s+/).map((name) => [name, geo as Geo] as const)),
  );

const [byLocation, byRegion] = [toMap(locations), toMap(regions)];

/** Vertex AI's hosts, each with its location; the global one has none. */
const vertexHosts = /^(?:([a-z0-9-]+)-)?aiplatform\.(?:([a-z]+)\.rep\.)?googleapis\.com$/;
const vertexPath = /^\/v\d[a-z0-9]*\/projects\/[^/%]+\/locations\/([a-z0-9-]+)\//;

/**
 * Where an address says that calls are processed.
 * @param path of the whole request, without the query
 * @returns null if it is left open, or host and path differ; undefined if such addresses do not say
 */
export function readGeo({ hostname }: URL, path: string): Geo | null | undefined {
  const host = hostname.replace(/\.$/, '');
  const [, region] = openaiHosts.exec(host) ?? [];
  if (region !== undefined) return region as Geo;
  const bedrock = readBedrockRegion(host);
  if (bedrock !== null) return byRegion.get(bedrock) ?? null;
  const [vertex, location, multiple = location] = vertexHosts.exec(host) ?? [];
  if (vertex === undefined) return undefined;
  const [, ofPath] = vertexPath.exec(path) ?? [];
  return multiple !== undefined && multiple === ofPath ? (byLocation.get(ofPath) ?? null) : null;
}
