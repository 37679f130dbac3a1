import { expect, test } from 'vitest';
import { makeHead, providers } from '../../test/open-metering.ts';
import { readAll } from '../../test/read-names.ts';
import type { CallProvider } from '../call-head.ts';
import { inspectBody } from './inspect-body.ts';
import { readAsked } from './read-asked.ts';

interface Sent {
  url?: string;
  headers?: Record<string, string | string[]>;
}

/** The guardrail that a call asks for, as rules read it. */
function ask(id: string, path: string, body: object | string, { url, headers = {} }: Sent = {}) {
  const own = providers[id] as CallProvider;
  const provider = { ...own, baseUrl: url === undefined ? own.baseUrl : new URL(url) };
  const head = makeHead(id, path, { provider, headers });
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const form = { contentType: 'application/json', contentEncoding: '' };
  const read = head.operation && inspectBody(head.operation, head, bytes, form, { mustTell: false, mustBound: false });
  const names = head.operation && readAll(id, path, bytes, { provider });
  return readAsked({ ...head, contentLength: null, isPacked: false }, read, names).guardrail;
}

const arn = 'arn:aws:bedrock:eu-central-1:123456789012:guardrail/abc123xyz';
const config = (guardrailIdentifier: unknown, guardrailVersion: unknown, more = {}) => ({
  messages: [],
  guardrailConfig: { guardrailIdentifier, guardrailVersion, ...more },
});

test.each<[object | string, string | boolean | null]>([
  [{ messages: [] }, false],
  [{ messages: [], guardrailConfig: null }, false],
  [config('abc123xyz', '3'), 'abc123xyz:3'],
  [config('abc123xyz', 'DRAFT', { trace: 'enabled', streamProcessingMode: 'async' }), 'abc123xyz:DRAFT'],
  [config(arn, '3'), `${arn}:3`],
  [config('', ''), false],
  [config(null, '3'), false],
  // AWS takes none of these, or several servers may read them differently.
  [config('abc123xyz', undefined), null],
  [config('abc123xyz', 3), null],
  [config('abc123xyz', '03'), null],
  [config('abc123xyz', 'draft'), null],
  [config('abc123xyz:3', '3'), null],
  [config('ABC123XYZ', '3'), null],
  [config(`${arn}/other`, '3'), null],
  [config(['abc123xyz'], '3'), null],
  [config('abc123xyz', '3', { GuardrailVersion: 'DRAFT' }), null],
  [{ messages: [], GuardrailConfig: config('abc123xyz', '3').guardrailConfig }, null],
  [{ ...config('abc123xyz', '3'), guardrailconfig: {} }, null],
  [{ ...config('abc123xyz', '3'), guardrail_config: {} }, null],
  ['{"guardrailConfig":{"guardrailIdentifier":"abc","guardrailVersion":"3"},"guardrailConfig":null}', null],
  ['{"guardrailConfig":{"guardrailIdentifier":"abc","guardrailVersion":"3","guardrailVersio\\u006e":"DRAFT"}}', null],
])('Converse with %j asks for %j', (body, expected) => {
  for (const verb of ['converse', 'converse-stream']) expect(ask('bedrock', `/model/m/${verb}`, body)).toBe(expected);
});

const named = { 'X-Amzn-Bedrock-GuardrailIdentifier': 'abc123xyz', 'x-amzn-bedrock-guardrailversion': '3' };
const claude = '/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0';
const message = { max_tokens: 9, messages: [] };

test.each<[Record<string, string | string[]>, string | boolean | null]>([
  [{}, false],
  [named, 'abc123xyz:3'],
  [{ ...named, 'X-Amzn-Bedrock-GuardrailIdentifier': arn }, `${arn}:3`],
  [{ 'X-Amzn-Bedrock-GuardrailIdentifier': 'abc123xyz' }, null],
  [{ ...named, 'x-amzn-bedrock-guardrailversion': ['3', 'DRAFT'] }, null],
  [{ ...named, 'X-Amzn-Bedrock-GuardrailIdentifier': 'abc123xyz, def' }, null],
  [{ X_Amzn_Bedrock_GuardrailIdentifier: 'abc123xyz', X_Amzn_Bedrock_GuardrailVersion: '3' }, false],
])('Invoke with headers %j asks for %j', (headers, expected) => {
  for (const verb of ['invoke', 'invoke-with-response-stream'])
    expect(ask('bedrock', `${claude}/${verb}`, message, { headers })).toBe(expected);
  const isChat = { model: 'a', messages: [] };
  expect(ask('bedrock', '/openai/v1/chat/completions', isChat, { headers })).toBe(expected);
});

const runtime = 'https://bedrock-runtime.us-east-1.amazonaws.com';
const mantle = 'https://bedrock-mantle.us-east-1.api.aws';
const body = { model: 'a', messages: [] };

test.each<[string, string, object, string | undefined, string | boolean]>([
  // Headers are none of Converse's, and a body none of Invoke's.
  ['bedrock', '/model/m/converse', { messages: [] }, undefined, false],
  ['bedrock', '/model/m/count-tokens', { input: { converse: {} } }, undefined, true],
  ['openai', '/chat/completions', body, `${runtime}/openai/v1`, 'abc123xyz:3'],
  ['openai', '/v1/chat/completions', body, undefined, false],
  ['openai', '/v1/chat/completions', body, 'https://gateway.example/openai', false],
  // AWS does not document these.
  ['openai', '/chat/completions', body, `${mantle}/openai/v1`, false],
  ['bedrock', '/openai/v1/chat/completions', body, mantle, false],
  [
    'bedrock',
    '/openai/v1/chat/completions',
    body,
    'https://vpce-0a.bedrock-mantle.us-east-1.vpce.amazonaws.com',
    false,
  ],
  ['bedrock', '/openai/v1/responses', { model: 'a', input: 'x' }, undefined, false],
  ['bedrock', '/anthropic/v1/messages', { model: 'a', ...message }, undefined, false],
])('at %s, %s with %j at %s asks in headers for %j', (id, path, sent, url, expected) => {
  expect(ask(id, path, sent, { headers: named, ...(url && { url }) })).toBe(expected);
});

test('Invoke’s own settings of a guardrail hide nothing from other rules', () => {
  const sent = {
    ...message,
    'amazon-bedrock-guardrailConfig': { tagSuffix: 'x', streamProcessingMode: 'SYNCHRONOUS' },
  };
  expect(readAll('bedrock', `${claude}/invoke`, sent)?.tools).toEqual([]);
  expect(ask('bedrock', `${claude}/invoke`, { ...sent, guardrailConfig: config('abc', '3') })).toBe(false);
});
