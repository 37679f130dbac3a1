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
}

export const regionForm = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

type Path = (string | number)[];

/**
 * The same entry, in which all that is on Bedrock has its address and its region, as far as one tells the other.
 * @param refuse is told each field that is at fault
 */
export function placeOnBedrock<Entry extends PlacedEntry>(
  entry: Entry,
  refuse: (path: Path, why: string) => void,
): Entry {
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
    for (const name of ['auth', 'request_metadata'] as const)
      if (entry[name] !== undefined) refuse([name], 'is for api bedrock alone');
    return entry;
  }
  if (endpoints === undefined) return place(entry, []);
  return { ...entry, endpoints: endpoints.map((each, index) => place(each, ['endpoints', index])) };
}
