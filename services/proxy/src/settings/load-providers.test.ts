import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEgress } from '@agp/runtime/egress';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { findStrangeRegions, loadProviders } from '../config.ts';
import type { Provider } from './provider.ts';

function writeTemporary(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-providers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file');
  writeFileSync(file, text);
  return file;
}

const keyFolder = mkdtempSync(join(tmpdir(), 'agp-keys-'));
afterAll(() => rmSync(keyFolder, { recursive: true }));

function writeKey(): string {
  const file = join(keyFolder, 'key');
  writeFileSync(file, 'key-of-one');
  return file;
}

const writeProviders = (content: unknown) =>
  writeTemporary(typeof content === 'string' ? content : JSON.stringify(content));
const fromFile = { id: 'my-groq', api: 'openai', base_url: 'https://api.groq.com/openai' };

test('the built-in providers are there without configuration', () => {
  const providers = loadProviders(undefined, {});
  expect([...providers.values()].map(({ id, api, baseUrl }) => [id, api, baseUrl.href])).toEqual([
    ['openai', 'openai', 'https://api.openai.com/'],
    ['anthropic', 'anthropic', 'https://api.anthropic.com/'],
    ['gemini', 'gemini', 'https://generativelanguage.googleapis.com/'],
  ]);
});

test('the file is merged over the table, and variables over both', () => {
  const file = writeProviders([
    { id: 'my-groq', api: 'openai', base_url: 'https://api.groq.com/openai' },
    { id: 'anthropic', api: 'anthropic', base_url: 'http://127.0.0.1:1' },
  ]);
  const environment = { PROVIDER_MY_GROQ_URL: 'http://127.0.0.1:2/openai', PROVIDER_VLLM_URL: 'http://127.0.0.1:3' };
  const providers = loadProviders(file, environment);
  expect(providers.get('my-groq')?.baseUrl.href).toBe('http://127.0.0.1:2/openai');
  expect(providers.get('anthropic')?.baseUrl.href).toBe('http://127.0.0.1:1/');
  expect(providers.get('vllm')).toMatchObject({ id: 'vllm', api: 'openai' });
});

test('streams are asked for their usage, but for servers that tell it unasked, or are said to refuse it', () => {
  const file = writeProviders([
    { id: 'mistral', api: 'openai', base_url: 'https://api.mistral.ai' },
    { id: 'router', api: 'openai', base_url: 'https://openrouter.ai/api' },
    {
      id: 'vertex',
      api: 'openai',
      base_url: 'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi',
    },
    { id: 'vertex-eu', api: 'openai', base_url: 'https://aiplatform.eu.rep.googleapis.com' },
    { id: 'mistral-behind', api: 'openai', base_url: 'https://gateway.test/mistral.ai' },
    { id: 'willing', api: 'openai', base_url: 'https://api.mistral.ai', ask_usage: true },
    { id: 'moved', api: 'openai', base_url: 'https://a.test', ask_usage: false },
  ]);
  const providers = loadProviders(file, { PROVIDER_MOVED_URL: 'http://127.0.0.1:2' });
  const asks = [...providers.values()].map(({ id, asksForUsage }) => [id, asksForUsage]);
  expect(Object.fromEntries(asks)).toEqual({
    openai: true,
    anthropic: true,
    gemini: false,
    mistral: false,
    router: false,
    vertex: false,
    'vertex-eu': false,
    'mistral-behind': true,
    willing: true,
    moved: false,
  });
});

test.each([
  ['not JSON', '[\n{ fake-canary', /^PROVIDERS_FILE: .*: is not JSON \(line 2 column 3\)$/],
  ['no list', '{}', 'PROVIDERS_FILE'],
  ['an entry without an id', [fromFile, null], /^PROVIDERS_FILE: .*: \[1\]: /],
  ['a reserved id', [{ id: 'agents', api: 'openai', base_url: 'http://a' }], 'agents is reserved'],
  [
    'an unknown api',
    [{ id: 'x', api: 'soap', base_url: 'http://a' }],
    '[0] ("x"): api: must be one of openai, anthropic, gemini',
  ],
  ['a file URL', [{ id: 'x', api: 'openai', base_url: 'file:///etc/passwd' }], '[0] ("x"): base_url: must be'],
  ['credentials in a URL', [{ id: 'x', api: 'openai', base_url: 'http://u:p@a' }], '[0] ("x"): base_url: must hold no'],
  [
    'a key file that cannot be read',
    [{ ...fromFile, api_key_file: '/nowhere/key' }],
    'PROVIDERS_FILE: [0] ("my-groq"): api_key_file: cannot read /nowhere/key',
  ],
  ['paths that allow nothing', [{ ...fromFile, allow_paths: [] }], 'allow_paths: must allow something'],
  ['an invalid path', [{ ...fromFile, allow_paths: ['v1'] }], 'allow_paths.0: must be default'],
  ['a member that is not known', [{ id: 'x', api: 'openai', base_url: 'http://a', api_kye: 'x' }], 'api_kye'],
])('%s is refused at start, by name', (_what, content, message) => {
  expect(() => loadProviders(writeProviders(content), {})).toThrow(message);
});

test('a variable that is no URL is refused by its name', () => {
  expect(() => loadProviders(undefined, { PROVIDER_OPENAI_URL: 'localhost' })).toThrow('PROVIDER_OPENAI_URL');
});

test('keys come from files and variables, a variable before the file, and stay when a variable moves the provider', () => {
  const file = writeProviders([
    { ...fromFile, api_key_file: writeTemporary('fake-key-1\n') },
    { id: 'vllm', api: 'openai', base_url: 'http://a', api_key_file: writeTemporary('fake-key-2') },
  ]);
  const environment = {
    PROVIDER_MY_GROQ_URL: 'http://127.0.0.1:2/openai',
    PROVIDER_VLLM_API_KEY: 'fake-key-3',
    PROVIDER_OPENAI_API_KEY: 'fake-key-4',
    PROVIDER_OPENAI_API_KEY_FILE: writeTemporary('fake-key-5'),
    PROVIDER_GEMINI_API_KEY: '',
  };
  const providers = loadProviders(file, environment);
  const keys = [...providers.values()].map(({ id, apiKey }) => [id, apiKey?.value ?? null]);
  expect(Object.fromEntries(keys)).toEqual({
    openai: 'fake-key-5',
    anthropic: null,
    gemini: null,
    'my-groq': 'fake-key-1',
    vllm: 'fake-key-3',
  });
  expect(providers.get('my-groq')?.baseUrl.port).toBe('2');
});

test('a key limits the paths to inference, unless the file says what is allowed', () => {
  const file = writeProviders([{ ...fromFile, allow_paths: ['default', 'GET /v1/files*'] }]);
  const providers = loadProviders(file, { PROVIDER_OPENAI_API_KEY: 'fake-key', PROVIDER_MY_GROQ_API_KEY: 'fake-key' });
  expect(providers.get('openai')?.allowPaths).toEqual(['default']);
  expect(providers.get('anthropic')?.allowPaths).toBeNull();
  expect(providers.get('my-groq')?.allowPaths).toEqual([
    'default',
    { method: 'GET', path: '/v1/files', isPrefix: true },
  ]);
});

test('an allowed path may be written as callers write it, with or without the /v1 that the proxy drops or adds', () => {
  const spellings = (base_url: string, text: string, id = 'acme', api = 'openai') => {
    const providers = loadProviders(writeProviders([{ id, api, base_url, allow_paths: [text] }]), {});
    const { allowPaths } = providers.get(id) as Provider;
    return allowPaths?.map((allowed) =>
      allowed === 'default' ? allowed : `${allowed.path}${allowed.isPrefix ? '*' : ''}`,
    );
  };
  expect(spellings('http://a/v1', 'GET /v1/files/*')).toEqual(['/v1/files/*', '/files/*']);
  expect(spellings('http://a/gateway/v1/', '/v1/files')).toEqual(['/v1/files', '/files']);
  expect(spellings('http://a', '/files/*', 'openai')).toEqual(['/files/*', '/v1/files/*']);
  // Nothing is allowed that is not written.
  for (const text of ['/v1*', '/v*', '/v1', '/v1beta/files', '/files/*', 'default'])
    expect(spellings('http://a/v1', text)).toEqual([text]);
  expect(spellings('http://a', '/files/*')).toEqual(['/files/*']);
  expect(spellings('http://a/v1', '/v1/files', 'acme', 'gemini')).toEqual(['/v1/files']);
});

test.each([
  ['of an unknown provider', { PROVIDER_NOBODY_API_KEY: 'fake-canary' }, 'PROVIDER_NOBODY_API_KEY: no provider'],
  ['with a space', { PROVIDER_OPENAI_API_KEY: 'fake canary' }, 'PROVIDER_OPENAI_API_KEY: must hold a key'],
  ['of ours', { PROVIDER_OPENAI_API_KEY: 'agp_fake-canary' }, 'PROVIDER_OPENAI_API_KEY: holds a key of this product'],
  ['in no file', { PROVIDER_OPENAI_API_KEY_FILE: '/nowhere/key' }, 'PROVIDER_OPENAI_API_KEY_FILE: cannot read'],
])('a key %s is refused by its variable, and not shown', (_what, environment, message) => {
  const load = () => loadProviders(undefined, environment);
  expect(load).toThrow(message);
  expect(load).not.toThrow(/canary/);
});

test('a file that holds no key is refused by its name, and what it holds is not shown', () => {
  const empty = writeTemporary(' \n');
  expect(() => loadProviders(undefined, { PROVIDER_OPENAI_API_KEY_FILE: empty })).toThrow(empty);
  const lines = writeTemporary('fake\ncanary');
  expect(() => loadProviders(undefined, { PROVIDER_OPENAI_API_KEY_FILE: lines })).not.toThrow(/canary/);
});

const endpointsOf = (endpoints: object[], more: object = {}) =>
  writeProviders([{ id: 'azure', api: 'openai', endpoints, ...more }]);
const [east, west] = [
  { base_url: 'https://east.openai.azure.com/openai/v1', geo: 'us' },
  { base_url: 'https://west.openai.azure.com/openai/v1', name: 'west', weight: 0, proxy: 'proxy.example:3128' },
].map((each) => (each.proxy ? { ...each, proxy: `http://${each.proxy}` } : each)) as [object, object];

test('a provider has endpoints, each with its key, geo, proxy and weight', () => {
  const [own, shared] = ['key-of-west', 'key-of-all'].map(writeTemporary);
  const file = endpointsOf([east, { ...west, api_key_file: own }], { api_key_file: shared, proxy: 'none' });
  const egress = createEgress({ httpsProxy: 'http://other.example:3128', noProxy: '' });
  const provider = loadProviders(file, {}, egress).get('azure');
  expect(provider?.endpoints.map(({ proxy, ...each }) => ({ ...each, proxy: proxy?.host ?? null }))).toMatchObject([
    { endpoint: 'east.openai.azure.com', geo: 'us', weight: 1, apiKey: { value: 'key-of-all' }, proxy: null },
    { endpoint: 'west', geo: null, weight: 0, apiKey: { value: 'key-of-west' }, proxy: 'proxy.example:3128' },
  ]);
  expect(provider?.endpoints[0]).toBe(provider);
  // A variable is for those without a key of their own; another address is the only one.
  const withKey = loadProviders(file, { PROVIDER_AZURE_API_KEY: 'key-of-variable' }).get('azure');
  expect(withKey?.endpoints.map(({ apiKey }) => apiKey?.value)).toEqual(['key-of-variable', 'key-of-west']);
  const moved = loadProviders(file, { PROVIDER_AZURE_URL: 'https://moved.example' }).get('azure');
  expect(moved).toMatchObject({ endpoints: [], endpoint: null, geo: null, basePath: '' });
});

test.each<[object[], object, string]>([
  [[east], {}, 'endpoints: must be two or more: for one there is base_url'],
  [[east, east], {}, 'endpoints.1.name: must be another than east.openai.azure.com, which one before it has'],
  [[east, west], { base_url: 'https://x.example' }, 'base_url: stands in each of the endpoints, if there are any'],
  [[east, west], { geo: 'us' }, 'geo: stands in each of the endpoints, if there are any'],
  [
    [east, { ...west, proxy: 'proxy.example:3128' }],
    {},
    'endpoints.1.proxy: must be none, or the http or https URL of a proxy',
  ],
  [[east, { ...west, weight: -1 }], {}, 'endpoints.1.weight: '],
  [[east, { ...west, zone: 'eu' }], {}, 'endpoints.1: '],
  [[east, { ...west, region: 'eu' }], {}, 'endpoints.1.region: must be a region of AWS, such as eu-central-1'],
  [[east, { name: 'west' }], {}, 'endpoints.1.base_url: is not there'],
  [
    [east, { ...west, base_url: 'https://west.example' }],
    {},
    'endpoints.1.base_url: must end with /v1 as the first one does',
  ],
  [
    [east, { ...west, api_key_file: writeKey() }],
    {},
    'endpoints.1.api_key_file: all endpoints have a key, or none has',
  ],
])('endpoints %j beside %j are refused: %s', (endpoints, more, message) => {
  expect(() => loadProviders(endpointsOf(endpoints, more), {})).toThrow(message);
});

const aws = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'fake-canary' };
const onBedrock = (more: object) => writeProviders([{ id: 'bedrock-eu', api: 'bedrock', auth: 'role', ...more }]);

test('auth: role makes a key for each region, which holds for an address in a variable too', () => {
  const endpoints = [{ region: 'eu-central-1' }, { region: 'us-east-1', name: 'us' }];
  const loaded = loadProviders(onBedrock({ endpoints }), aws).get('bedrock-eu');
  expect(loaded?.endpoints).toMatchObject([
    {
      endpoint: 'bedrock-runtime.eu-central-1.amazonaws.com',
      apiKey: { region: 'eu-central-1', source: expect.stringMatching(/\("bedrock-eu"\): endpoints\.0: auth$/) },
    },
    {
      endpoint: 'us',
      baseUrl: { hostname: 'bedrock-runtime.us-east-1.amazonaws.com' },
      apiKey: { region: 'us-east-1' },
    },
  ]);
  const moved = { ...aws, PROVIDER_BEDROCK_EU_URL: 'http://127.0.0.1:1' };
  expect(loadProviders(onBedrock({ region: 'eu-west-1' }), moved).get('bedrock-eu')).toMatchObject({
    baseUrl: { port: '1' },
    apiKey: { region: 'eu-west-1' },
    allowPaths: ['default'],
  });
});

test.each<[object, NodeJS.ProcessEnv, RegExp]>([
  [
    { region: 'eu-west-1' },
    {},
    /^PROVIDERS_FILE: \[0\] \("bedrock-eu"\): auth: this process has no identity of AWS: set AWS_ACCESS/,
  ],
  [
    { region: 'eu-west-1' },
    { ...aws, PROVIDER_BEDROCK_EU_API_KEY: 'fake-canary' },
    /auth: is role, which needs no other key: remove PROVIDER_BEDROCK_EU_API_KEY$/,
  ],
  [{}, aws, /\("bedrock-eu"\): region: is not there, and auth: role signs for one$/],
  [
    { region: 'eu-west-1', api_key_file: '/key' },
    aws,
    /: api_key_file: auth is role, which needs no other key: remove one$/,
  ],
  [{ region: 'Frankfurt' }, aws, /: region: must be a region of AWS, such as eu-central-1$/],
  [{ region: 'eu-west-1', auth: 'bearer' }, {}, /auth: is bearer, and no key is configured: give api_key_file, or/],
  [{ region: 'eu-west-1', auth: 'iam' }, aws, /: auth: must be bearer, role or sign$/],
])('an entry of Bedrock with %j is refused', (more, environment, message) => {
  expect(() => loadProviders(onBedrock(more), environment)).toThrow(message);
});

test('a region that is signed for is one of those that AWS may not have', () => {
  const providers = loadProviders(onBedrock({ base_url: 'https://gateway.example', region: 'eu-centrl-1' }), aws);
  expect(findStrangeRegions({ providers })).toEqual([{ provider: 'bedrock-eu', region: 'eu-centrl-1' }]);
});

test('region and auth are for Bedrock', () => {
  const load = (more: object) => () => loadProviders(writeProviders([{ ...fromFile, ...more }]), aws);
  expect(load({ auth: 'role' })).toThrow(': auth: is for api bedrock alone');
  expect(load({ region: 'eu-west-1' })).toThrow(': region: is for api bedrock alone');
});

test('a provider without an address is refused', () => {
  expect(() => loadProviders(writeProviders([{ id: 'azure', api: 'openai' }]), {})).toThrow(
    'base_url: is not there, nor endpoints',
  );
});
