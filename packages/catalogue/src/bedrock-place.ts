import { readBedrockName } from '@agp/core/bedrock';
import { readBedrockRegion } from './bedrock.ts';

/** Where an entry of PROVIDERS_FILE, or one of its endpoints, is on Bedrock, and whose key it has. */
interface Placed {
  base_url?: URL | undefined;
  region?: string | undefined;
  api_key_file?: string | undefined;
}

interface PlacedEntry extends Placed {
  api: string;
  auth?: 'bearer' | 'role' | 'sign' | undefined;
  request_metadata?: boolean | undefined;
  endpoints?: Placed[] | undefined;
  profiles?: Readonly<Record<string, string>> | undefined;
}

export const regionForm = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

type Path = (string | number)[];
type Refuse = (path: Path, why: string) => void;

/** Their calls are billed by tokens, as those of the model are. */
const profileForm = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):\d{12}:application-inference-profile\/[\w.:-]{1,64}$/;

/** @param regions that are called; undefined for one that is not known */
function checkProfiles(profiles: Record<string, string>, regions: (string | undefined)[], refuse: Refuse): void {
  for (const [arn, model] of Object.entries(profiles)) {
    const [, region] = profileForm.exec(arn) ?? [];
    const field = ['profiles', arn];
    if (region === undefined) refuse(field, "is no ARN of an application's inference profile");
    else if (![region, undefined].some((each) => regions.includes(each)))
      refuse(field, `is of ${region}, and calls go to ${regions.join(', ')}`);
    if (!/^[\w.:-]{1,100}$/.test(model) || readBedrockName(model) === null)
      refuse(field, 'must be the name of a model at Bedrock, such as eu.anthropic.claude-sonnet-4-5-20250929-v1:0');
  }
}

/**
 * The same entry, in which all that is on Bedrock has its address and its region, as far as one tells the other.
 * @param refuse is told each field that is at fault
 */
export function placeOnBedrock<Entry extends PlacedEntry>(entry: Entry, refuse: Refuse): Entry {
  const isBedrock = entry.api === 'bedrock';
  const { auth } = entry;
  const isMade = auth === 'role' || auth === 'sign';
  const check = ({ region, api_key_file: file }: Placed, path: Path) => {
    if (!isBedrock && region !== undefined) refuse([...path, 'region'], 'is for api bedrock alone');
    if (isMade && file !== undefined)
      refuse([...path, 'api_key_file'], `auth is ${auth}, which needs no other key: remove one`);
  };
  const place = <Each extends Placed>(each: Each, path: Path): Each => {
    const told = readBedrockRegion(each.base_url?.hostname ?? '') ?? undefined;
    const { region = told } = each;
    if (told !== undefined && region !== told) refuse([...path, 'region'], `is not ${told}, which base_url names`);
    if (region === undefined) {
      if (isMade) refuse([...path, 'region'], `is not there, and auth: ${auth} signs for one`);
      return each;
    }
    const {
      base_url = new URL(`https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`),
    } = each;
    return { ...each, base_url, region };
  };
  const { endpoints } = entry;
  check(entry, []);
  for (const [index, each] of endpoints?.entries() ?? []) check(each, ['endpoints', index]);
  if (!isBedrock) {
    for (const name of ['auth', 'request_metadata', 'profiles'] as const)
      if (entry[name] !== undefined) refuse([name], 'is for api bedrock alone');
    return entry;
  }
  const placed =
    endpoints === undefined
      ? place(entry, [])
      : { ...entry, endpoints: endpoints.map((each, index) => place(each, ['endpoints', index])) };
  const regions = (placed.endpoints ?? [placed]).map(({ region }) => region);
  checkProfiles(entry.profiles ?? {}, regions, refuse);
  return placed;
}
