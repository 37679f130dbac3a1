import { expect, test } from 'vitest';
import { holdsAgentToken, spellsAgentToken } from './agent-token.ts';

const token = `agp_${'fake-token-'.repeat(4).slice(0, 43)}`;
const encodeAll = (text: string) => text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  token,
  `Bearer ${token}`,
  `a=${token};b`,
  `a=${token}b`,
  'agp_short',
  'Bearer agp_short',
  token.replace('a', '%61'),
  token.replace('a', '%2561'),
  token.replace('a', '%252561'),
  token.replace('_', '%5F'),
  `%zz=%ff${token.replace('a', '%61')}`,
  encodeAll(token),
  `key=${encodeAll(encodeAll(token))}`,
  `{"key":"${token}"}`,
  `{"key":"${token.replace('a', '\\u0061')}"}`,
  `Basic ${base64(`user:${token}`)}`,
  `Basic ${base64(`use:${token}`)}`,
  `Basic ${base64(`${token}:`)}`,
  `x.${base64(`{"t":"${token}"}`)}.y`,
  `x${base64(`{"t":"${token}"}`)}`,
  encodeURIComponent(base64(`us:${token}`)),
])('%s holds a token', (text) => {
  expect(holdsAgentToken(text)).toBe(true);
});

test.each([
  '',
  'sk-fake',
  'x-agp_short',
  'my agp_ token',
  `x${token}`,
  '100%',
  '%zz',
  base64('my agp_ token'),
  '\\u0061gp',
])('%s holds none', (text) => {
  expect(holdsAgentToken(text)).toBe(false);
});

test('the token that the request shows is known whatever it is glued to', () => {
  expect(holdsAgentToken(`x${token}y`, token)).toBe(true);
  expect(holdsAgentToken(`x%61${token.slice(1)}y`, token)).toBe(true);
  expect(holdsAgentToken('agp', token)).toBe(false);
});

test('a token is found anywhere in a text that is recorded or shown', () => {
  for (const text of [`ses_${token}`, `x${token}y`, `x%2561${token.slice(1)}`])
    expect(spellsAgentToken(text)).toBe(true);
  for (const text of ['ses_agp_short', 'agp_']) expect(spellsAgentToken(text)).toBe(false);
});
