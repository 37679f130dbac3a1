import { expect, test } from 'vitest';
import { findStrangeRegions, isOpenToOthers, loadProxyConfig } from './config.ts';

const servers = { DATABASE_URL: 'postgres://x', NATS_URL: 'nats://x', REDIS_URL: 'redis://x' };
const withKey = { ...servers, PROVIDER_OPENAI_API_KEY: 'fake-canary' };

test.each([
  ['an address that others reach', { HOST: '0.0.0.0' }],
  ['no address given', {}],
  ['all addresses of IPv6', { HOST: '::' }],
  ['a name that only looks like loopback', { HOST: '127.0.0.1.example.com' }],
])('provider keys with open identity are refused on %s', (_what, environment) => {
  const load = () => loadProxyConfig({ ...withKey, ...environment });
  expect(load).toThrow(/^AGENT_IDENTITY: .*openai.*ALLOW_OPEN_PROVIDER_KEYS/);
  expect(load).not.toThrow(/canary/);
  expect(load).toThrow(expect.objectContaining({ code: 'invalid_config' }));
});

test.each([
  ['on loopback', { HOST: '127.0.0.1' }],
  ['on loopback of IPv6', { HOST: '::1' }],
  ['with tokens', { AGENT_IDENTITY: 'token' }],
  ['where it is allowed', { ALLOW_OPEN_PROVIDER_KEYS: 'true' }],
])('provider keys are taken %s', (_what, environment) => {
  const { providers } = loadProxyConfig({ ...withKey, ...environment });
  expect(providers.get('openai')?.apiKey?.value).toBe('fake-canary');
});

test.each([
  ['0.0.0.0', 'open', true],
  ['10.0.0.7', 'open', true],
  ['0.0.0.0', 'token', false],
  ['127.0.0.1', 'open', false],
  ['::1', 'open', false],
])('on %s with identity %s, a warning at the start: %s', (HOST, AGENT_IDENTITY, isWarned) => {
  expect(isOpenToOthers(loadProxyConfig({ ...servers, HOST, AGENT_IDENTITY }))).toBe(isWarned);
});

test.each([
  ['eu-central-1', []],
  ['us-gov-west-1', []],
  ['eu-centrl-1', [{ provider: 'bedrock', region: 'eu-centrl-1' }]],
])('of the region %s, warnings at the start: %j', (region, warnings) => {
  const environment = { ...servers, PROVIDER_BEDROCK_URL: `https://bedrock-runtime.${region}.amazonaws.com` };
  expect(findStrangeRegions(loadProxyConfig(environment))).toEqual(warnings);
});

test('open identity without provider keys needs no permission', () => {
  expect(loadProxyConfig({ ...servers, HOST: '0.0.0.0' }).agentIdentity).toBe('open');
});

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://user:fake-canary@collector'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('tracing that could not work is refused by the name of %s', (name, value) => {
  const load = () => loadProxyConfig({ ...servers, [name]: value });
  expect(load).toThrow(new RegExp(`^${name}: must be `));
  expect(load).not.toThrow(/canary/);
});
