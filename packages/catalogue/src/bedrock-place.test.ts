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

test.each<[Omit<Given, 'api'>, (string | undefined)[][]]>([
  [{ region: 'eu-central-1' }, [[runtime('eu-central-1'), 'eu-central-1']]],
  [at(runtime('us-gov-west-1')), [[runtime('us-gov-west-1'), 'us-gov-west-1']]],
  [at(mantle), [[mantle, 'us-east-1']]],
  [{ ...at('https://vpce.example/x'), region: 'eu-west-1' }, [['https://vpce.example/x', 'eu-west-1']]],
  [at('https://gateway.example/'), [['https://gateway.example/', undefined]]],
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
  [{ region: 'eu-west-1' }, 'openai', 'region: is for api bedrock alone'],
  [{ endpoints: [{ region: 'eu-west-1' }] }, 'openai', 'endpoints.0.region: is for api bedrock alone'],
  [{ auth: 'role' }, 'anthropic', 'auth: is for api bedrock alone'],
  [{ request_metadata: false }, 'openai', 'request_metadata: is for api bedrock alone'],
])('%j of %s is refused: %s', (entry, api, fault) => {
  expect(place(entry, api).faults).toContain(fault);
});
