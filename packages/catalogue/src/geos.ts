import type { Geo } from '@agp/core/geos';

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

const invert = (table: Partial<Record<Geo, string>>): ReadonlyMap<string, Geo> =>
  new Map(
    Object.entries(table).flatMap(([geo, names]) => names.split(/\s+/).map((name) => [name, geo as Geo] as const)),
  );

const byLocation = invert(locations);

/** Regions of AWS (https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html). */
const byRegion = invert({
  us: 'us-east-1 us-east-2 us-west-1 us-west-2 us-gov-east-1 us-gov-west-1',
  ca: 'ca-central-1 ca-west-1',
  mx: 'mx-central-1',
  br: 'sa-east-1',
  eu: 'eu-central-1 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-3',
  uk: 'eu-west-2',
  ch: 'eu-central-2',
  jp: 'ap-northeast-1 ap-northeast-3',
  kr: 'ap-northeast-2',
  in: 'ap-south-1 ap-south-2',
  sg: 'ap-southeast-1',
  au: 'ap-southeast-2 ap-southeast-4',
  id: 'ap-southeast-3',
  my: 'ap-southeast-5',
  nz: 'ap-southeast-6',
  th: 'ap-southeast-7',
  hk: 'ap-east-1',
  tw: 'ap-east-2',
  ae: 'me-central-1',
  il: 'il-central-1',
  za: 'af-south-1',
  cn: 'cn-north-1 cn-northwest-1',
});

const bedrockHosts =
  /^bedrock-(?:runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?|mantle\.([a-z0-9-]+)\.api\.aws)$/;

/** The profile of a model of Bedrock, also in an ARN, by which a call may leave its region. */
const profiles = /^(?:arn:[^/]*:inference-profile\/)?(global|apac|us-gov|[a-z]{2})\.[a-z0-9-]+\./;
const ofProfiles: Readonly<Record<string, Geo>> = { us: 'us', 'us-gov': 'us', eu: 'eu', jp: 'jp', au: 'au', ca: 'ca' };
/** Whose profile or model their name does not tell. */
const hiding = /^arn:[^/]*:(?:application-inference-profile|default-prompt-router|prompt-router|prompt)\//;

/**
 * Where a model of Bedrock says that its calls are processed.
 * @returns null if that is left open; undefined for the region that is asked
 */
export function readProfileGeo(model: string): Geo | null | undefined {
  if (hiding.test(model)) return null;
  const [, profile] = profiles.exec(model) ?? [];
  return profile === undefined ? undefined : (ofProfiles[profile] ?? null);
}

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
  const [bedrock, runtime, mantle] = bedrockHosts.exec(host) ?? [];
  if (bedrock !== undefined) return byRegion.get(runtime ?? mantle ?? '') ?? null;
  const [vertex, location, multiple = location] = vertexHosts.exec(host) ?? [];
  if (vertex === undefined) return undefined;
  const [, ofPath] = vertexPath.exec(path) ?? [];
  return multiple !== undefined && multiple === ofPath ? (byLocation.get(ofPath) ?? null) : null;
}
