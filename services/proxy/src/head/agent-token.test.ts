import { expect, test } from 'vitest';
import { holdsAgentToken, resemblesAgentToken, spellsAgentToken } from './agent-token.ts';

const token = `agp_${'fake-token-'.repeat(4).slice(0, 43)}`;
const encodeAll = (text: string) => text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

test.each([
  token,
  `Bearer ${token}`,
  `a=${token};b`,
  `a=${token}b`,
  'agp_short',
  'Bearer agp_short',
  token.replace('a', '%61'),
  token.replace('_', '%5F'),
  `%zz=%ff${token.replace('a', '%61')}`,
  encodeAll(token),
  `key=${encodeAll(token)}`,
  `{"key":"${token}"}`,
])('%s holds a token', (text) => {
  expect(holdsAgentToken(text)).toBe(true);
});

test.each(['', 'sk-fake', 'x-agp_short', 'my agp_ token', `x${token}`, '100%', '%zz'])('%s holds none', (text) => {
  expect(holdsAgentToken(text)).toBe(false);
});

test('the token that the request shows is known whatever it is glued to', () => {
  expect(holdsAgentToken(`x${token}y`, token)).toBe(true);
  expect(holdsAgentToken(`x%61${token.slice(1)}y`, token)).toBe(true);
  expect(holdsAgentToken('agp', token)).toBe(false);
});

test('a token is found anywhere in a text that is recorded or shown', () => {
  for (const text of [`ses_${token}`, `x${token}y`, `x%61${token.slice(1)}`]) expect(spellsAgentToken(text)).toBe(true);
  for (const text of ['ses_agp_short', 'agp_']) expect(spellsAgentToken(text)).toBe(false);
});

test('a name or a path with a token anywhere, or in the form of one, is not shown', () => {
  for (const text of [`x${token}y`, `x%61${token.slice(1)}`, 'agp_short', '%61gp_short', 'Bearer agp_short'])
    expect(resemblesAgentToken(text)).toBe(true);
  for (const text of ['', '100%', 'x-agp_short', 'my agp_ token']) expect(resemblesAgentToken(text)).toBe(false);
});
