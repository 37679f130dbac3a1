import { expect, test } from 'vitest';
import { placeOnBedrock } from './bedrock-place.ts';

type Given = Parameters<typeof placeOnBedrock>[0];

function place(entry: Omit<Given, 'api'>, api = 'bedrock') {
  const faults: string[] = [];
  const placed = placeOnBedrock({ api, ...entry }, (path, why) => faults.push(`${path.join('.')}: ${why}`));
  const tell = ({ base_url: url, region }: Omit<Given, 'api'>) => [url?.href, region];
  return { faults, placed: placed.endpoints?.map(tell) ?? [tell(placed)] };
}

const at = (url: string) => ({ base_url: new URL(url) });
const runtime = (region: string) => `https://bedrock-runtime.${region}.amazonaws.com/`;
const mantle = 'https://bedrock-mantle.us-east-1.api.aws/openai/v1';

const profile = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3d4e5f6';
const opus = 'eu.anthropic.claude-opus-5-v1:0';

test.each<[Omit<Given, 'api'>, (string | undefined)[][]]>([
  [{ region: 'eu-central-1' }, [[runtime('eu-central-1'), 'eu-central-1']]],
  [at(runtime('us-gov-west-1')), [[runtime('us-gov-west-1'), 'us-gov-west-1']]],
  [at(mantle), [[mantle, 'us-east-1']]],
  [{ ...at('https://vpce.example/x'), region: 'eu-west-1' }, [['https://vpce.example/x', 'eu-west-1']]],
  [at('https://gateway.example/'), [['https://gateway.example/', undefined]]],
  [
    { profiles: { [profile]: opus }, endpoints: [{ region: 'eu-west-1' }, { region: 'eu-central-1' }] },
    [
      [runtime('eu-west-1'), 'eu-west-1'],
      [runtime('eu-central-1'), 'eu-central-1'],
    ],
  ],
  [
    { auth: 'role', endpoints: [{ region: 'eu-west-1' }, at(runtime('us-east-1'))] },
    [
      [runtime('eu-west-1'), 'eu-west-1'],
      [runtime('us-east-1'), 'us-east-1'],
    ],
  ],
])('%j is placed', (entry, placed) => {
  expect(place(entry)).toEqual({ placed, faults: [] });
});

const fitsNone = `profiles.${profile}: must be the name of a model at Bedrock, such as eu.anthropic.claude-sonnet-4-5-20250929-v1:0`;

test.each<[Omit<Given, 'api'>, string, string]>([
  [{ ...at(mantle), region: 'eu-west-1' }, 'bedrock', 'region: is not us-east-1, which base_url names'],
  [{ auth: 'role' }, 'bedrock', 'region: is not there, and auth: role signs for one'],
  [
    { auth: 'role', endpoints: [{ region: 'eu-west-1' }, at('https://b.example')] },
    'bedrock',
    'endpoints.1.region: is not there, and auth: role signs for one',
  ],
  [
    { auth: 'role', region: 'eu-west-1', api_key_file: '/key' },
    'bedrock',
    'api_key_file: auth is role, which needs no other key: remove one',
  ],
  [
    { auth: 'role', endpoints: [{ region: 'eu-west-1', api_key_file: '/key' }] },
    'bedrock',
    'endpoints.0.api_key_file: auth is role, which needs no other key: remove one',
  ],
  [
    { region: 'eu-west-1', profiles: { [profile]: opus } },
    'bedrock',
    `profiles.${profile}: is of eu-central-1, and calls go to eu-west-1`,
  ],
  [
    { profiles: { [`${profile}/x`]: opus } },
    'bedrock',
    `profiles.${profile}/x: is no ARN of an application's inference profile`,
  ],
  [{ profiles: { [profile]: profile } }, 'bedrock', fitsNone],
  [{ profiles: { [profile]: `${profile}#${opus}` } }, 'bedrock', fitsNone],
  [{ profiles: { [profile]: 'claude-opus-5' } }, 'bedrock', fitsNone],
  [{ profiles: {} }, 'anthropic', 'profiles: is for api bedrock alone'],
  [{ region: 'eu-west-1' }, 'openai', 'region: is for api bedrock alone'],
  [{ endpoints: [{ region: 'eu-west-1' }] }, 'openai', 'endpoints.0.region: is for api bedrock alone'],
  [{ auth: 'role' }, 'anthropic', 'auth: is for api bedrock alone'],
  [{ request_metadata: false }, 'openai', 'request_metadata: is for api bedrock alone'],
])('%j of %s is refused: %s', (entry, api, fault) => {
  expect(place(entry, api).faults).toContain(fault);
});
