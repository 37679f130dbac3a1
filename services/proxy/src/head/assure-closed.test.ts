import { matchOperation } from '@agp/metering';
import { expect, test } from 'vitest';
import { assureClosed } from './assure-readable.ts';

const assure = (method: string, path: string, authorization?: string) =>
  assureClosed(matchOperation('bedrock', method, path), method, path, authorization ? { authorization } : {});

test.each(['/model/m/converse', '/anthropic/v1/messages', '/openai/v1/responses'])('%s is read', (path) => {
  expect(() => assure('POST', path)).not.toThrow();
});

test.each([
  ['/model/m/async-invoke', 'async-invoke'],
  ['/model/m/invoke-with-bidirectional-stream', 'invoke-with-bidirectional-stream'],
  ['/guardrail/g/version/1/apply', 'apply'],
  ['/model/meta.llama3-70b-instruct-v1%3A0/invoke', 'invoke'],
  ['/Model/X', 'this path'],
])('%s is refused by name', (path, name) => {
  expect(() => assure('POST', path)).toThrow(`${name} is not governed here`);
});

test('what its caller signed is refused with what to set instead', () => {
  const signed = 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261128/us-east-1/bedrock/aws4_request';
  expect(() => assure('POST', '/model/m/converse', signed)).toThrow(/send a bearer key, by AWS_BEARER_TOKEN_BEDROCK/);
  expect(() => assure('GET', '/openai/v1/models')).not.toThrow();
});
