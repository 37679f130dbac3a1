import { type BedrockName, dropRevision, hidesModel, readBedrockName } from '@agp/core/bedrock';
import { type Geo, readProfileGeo } from '@agp/core/geos';
import { isEdition } from './guess.ts';

/** Regions of AWS (https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html). */
export const regions: Partial<Record<Geo, string>> = {
  us: 'us-east-1 us-east-2 us-west-1 us-west-2 us-gov-east-1 us-gov-west-1',
  eu: 'eu-central-1 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-3',
  uk: 'eu-west-2',
  ch: 'eu-central-2',
  ca: 'ca-central-1 ca-west-1',
  mx: 'mx-central-1',
  br: 'sa-east-1',
  au: 'ap-southeast-2 ap-southeast-4',
  nz: 'ap-southeast-6',
  jp: 'ap-northeast-1 ap-northeast-3',
  kr: 'ap-northeast-2',
  in: 'ap-south-1 ap-south-2',
  sg: 'ap-southeast-1',
  id: 'ap-southeast-3',
  my: 'ap-southeast-5',
  th: 'ap-southeast-7',
  tw: 'ap-east-2',
  hk: 'ap-east-1',
  za: 'af-south-1',
  cn: 'cn-north-1 cn-northwest-1',
  ae: 'me-central-1',
  il: 'il-central-1',
};

/** Bedrock's hosts, each with its region. */
const bedrockHosts =
  /^bedrock-(?:runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?|mantle\.([a-z0-9-]+)\.api\.aws)$/;

/** @returns null if a host is not Bedrock's */
export function readBedrockRegion(hostname: string): string | null {
  const [, runtime, mantle = runtime] = bedrockHosts.exec(hostname) ?? [];
  return mantle ?? null;
}

/** Whether a host is of `bedrock-mantle`, by its own name or by that of a VPC endpoint. */
export const isMantle = (hostname: string): boolean => /(?:^|\.)bedrock-mantle\./.test(hostname);

/** What may be a profile, a maker that is not known, and a model. */
const mayHaveProfile = /^[^./]+\.[^./]+\.[^./]/;

/** What is made for one region, though its name hides its model. */
const ofOneRegion = /:(?:provisioned-model|custom-model-deployment|imported-model)\//;

/**
 * Where Bedrock runs a model, by its name as it is asked for.
 * @param ofHost where the host's region is; null if that is not known
 * @returns null if it may run elsewhere too: a profile reaches other regions than the host's, and one beside them may stay there
 */
export function readBedrockGeo(model: string, ofHost: Geo | null): Geo | null {
  if (hidesModel(model)) return ofOneRegion.test(model) ? ofHost : null;
  if (readBedrockName(model) === null) return mayHaveProfile.test(model) ? null : ofHost;
  const kept = readProfileGeo(model);
  return kept === undefined || kept === ofHost ? ofHost : null;
}

/** A model as Bedrock sells it. */
export interface SoldModel extends Pick<BedrockName, 'arn'> {
  /** Without an ARN around it. */
  id: string;
  /** What stands for it in its region and geographies; for all regions, its id. */
  base: string;
  /** The id in the library of the maker by whose list it is sold; null for others. */
  maker: string | null;
  name: string;
  implied: string | null;
}

/**
 * Claude and GPT on Bedrock. The library has a row for all regions, `global.`, which is the maker's list, and one for the rest, a tenth
 * above: for a geography, for no prefix, which is the region that is called, and for a bare name. Ours are multiplied likewise.
 */
export function findSold(asked: string): SoldModel {
  const bare = { arn: null, id: asked, profile: null, base: asked, model: asked };
  const { arn, id, profile, base, model } = readBedrockName(asked) ?? bare;
  const isGlobal = profile === 'global';
  const maker = /^claude-/.test(model) ? 'anthropic' : /^gpt-\d/.test(model) ? 'openai' : null;
  const name = dropRevision(model);
  return { arn, id, base: isGlobal ? id : base, maker, name, implied: isGlobal ? null : 'regional' };
}

/** By which name an answer is billed: what was asked for tells the profile, which Bedrock's answers leave out. */
export function nameBilled(asked: string, answered: string): string {
  if (readBedrockName(asked) === null) return answered;
  return isEdition(findSold(asked).name, findSold(answered).name) ? asked : answered;
}
