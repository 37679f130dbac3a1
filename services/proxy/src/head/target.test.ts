import { ApiError } from '@agp/core/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTarget } from './target.ts';

test.each([
  ['/openai/v1/models', { agentName: null, providerId: 'openai', path: '/v1/models', query: '' }],
  [
    '/gemini/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=x',
    {
      agentName: null,
      providerId: 'gemini',
      path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
      query: '?alt=sse&key=x',
    },
  ],
  [
    '/agents/build%20bot/anthropic/v1/messages',
    { agentName: 'build bot', providerId: 'anthropic', path: '/v1/messages', query: '' },
  ],
  [
    '/agents/caf%C3%A9;%25%20/anthropic/v1/messages',
    { agentName: 'caf\u00e9;% ', providerId: 'anthropic', path: '/v1/messages', query: '' },
  ],
  ['/openai', { agentName: null, providerId: 'openai', path: '/', query: '' }],
  [
    '/openai/v1/files?url=https://example.com//a/../b',
    { agentName: null, providerId: 'openai', path: '/v1/files', query: '?url=https://example.com//a/../b' },
  ],
  [
    '/openai/v1/models/ft%3Agpt-4o%2Fx',
    { agentName: null, providerId: 'openai', path: '/v1/models/ft%3Agpt-4o%2Fx', query: '' },
  ],
])('%s is read', (target, expected) => {
  expect(parseTarget(target)).toEqual(expected);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://api.openai.com/v1/models',
  '//evil.example/v1',
  '/openai//v1/models',
  '/openai/%2f/v1',
  '/openai/v1/%2F%2Fevil',
  '/openai/v1/..',
  '/openai/v1/../admin',
  '/openai/v1/%2e%2e/admin',
  '/openai/v1/.%2e/admin',
  '/openai/v1/%252e%252e/admin',
  '/openai/./v1',
  '/openai/v1/..;/admin',
  '/openai/v1/%2e%2e;x=1/admin',
  `/openai/v1/%${'25'.repeat(5)}`,
  '/openai\\v1',
  '/openai/v1%5cadmin',
  '/openai/v1#fragment',
  '/openai/v1?x=1#fragment',
  '/openai/v1%23fragment',
  '/openai/v1/%zz',
  '/openai/v1/%ff',
  '/openai/v1/%00',
  '/openai/v1/a%0ab',
  '/openai/v1/a%257f',
  '/openai/v1/%25ff',
  '/openai/v1/%25c0%25af',
  '/openai/v1/%25zz/%252e%252e/admin',
  '/openai/v1/%E2%80%A4%E2%80%A4/admin',
  '/openai/v1/%EF%BC%8E%EF%BC%8E%EF%BC%8Fadmin',
  '/openai/v1/%25u002e%25u002e/admin',
  '/openai/v1/\u00e9',
  '/openai/v1/m%6fdels',
  '/openai/v1/chat/completions;x',
  '/openai/v1/chat/completions%3Fx',
  '/openai/v1/chat/completions%20',
  '/openai/v1/files.',
  '/openai/v1/mod%C3%A8les',
  '*',
  '',
  `/openai/${'a'.repeat(20_000)}`,
])('%s is refused', (target) => {
  expect(() => parseTarget(target)).toThrow(expect.objectContaining({ code: 'malformed_request' }));
});

test('what is accepted never leads a URL parser away from the upstream, and nothing but ApiError is thrown', () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    '\\',
    '%2e',
    '%2F',
    '%5c',
    '@',
    ':',
    '//',
    'v1',
    'openai',
    '?',
    '#',
    '%',
    ' ',
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const target = pieces.join('');
      try {
        const { path, query } = parseTarget(target);
        const url = new URL(`https://upstream.example/base${path}${query}`);
        expect(url.host).toBe('upstream.example');
        expect(url.pathname.startsWith('/base')).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
  );
});
