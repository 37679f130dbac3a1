import { ownSecrets, type SecretPrefix } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { findOwnSecret, repeatsProof, resemblesAgentToken, spellsAgentToken } from './agent-token.ts';

const prefixes = Object.keys(ownSecrets) as SecretPrefix[];
const made = 'fake-token-'.repeat(4).slice(0, 43);
const token = `agp_${made}`;
const encodeAll = (text: string) => text.replace(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

test.each(
  prefixes.flatMap((prefix) => [43, 32].map((length) => [prefix, `${prefix}${made.slice(0, length)}`] as const)),
)('%s is found wherever it stands', (prefix, secret) => {
  for (const text of [
    secret,
    `Bearer ${secret}`,
    `a=${secret};b`,
    `a=${secret}b`,
    `${prefix}short`,
    `Bearer ${prefix}short`,
    secret.replace('a', '%61'),
    secret.replace('_', '%5F'),
    `%zz=%ff${secret.replace('a', '%61')}`,
    encodeAll(secret),
    `key=${encodeAll(secret)}`,
    `{"key":"${secret}"}`,
    `Basic ${btoa(`user:${secret}`)}`,
    `basic ${btoa(`${prefix}short:`)}`,
  ])
    expect([text, findOwnSecret(text)]).toEqual([text, prefix]);
});

test.each(['', 'sk-fake', 'x-agp_short', 'my agp_ token', `x${token}`, '100%', '%zz', 'Basic !', 'agx_short'])(
  '%s holds none',
  (text) => {
    expect(findOwnSecret(text)).toBeNull();
  },
);

test('the token that the request shows is known whatever it is glued to, and hides no other secret', () => {
  const none = () => false;
  for (const text of [`x${token}y`, `x%61${token.slice(1)}y`, `Basic ${btoa(`u:${token}`)}`]) {
    expect(repeatsProof(text, token, none)).toBe(true);
    expect(findOwnSecret(text, token)).toBeNull();
  }
  expect(repeatsProof('agp', token, none)).toBe(false);
  expect(findOwnSecret(`${token} agm_${made}`, token)).toBe('agm_');
});

test('a token is found anywhere in a text that is recorded or shown', () => {
  for (const text of [`ses_${token}`, `x${token}y`, `x%61${token.slice(1)}`, `agm_${made}`])
    expect(spellsAgentToken(text)).toBe(true);
  for (const text of ['ses_agp_short', 'agp_']) expect(spellsAgentToken(text)).toBe(false);
});

test('a name or a path with a token anywhere, or in the form of one, is not shown', () => {
  for (const text of [
    `x${token}y`,
    `x%61${token.slice(1)}`,
    'agp_short',
    '%61gp_short',
    'Bearer agp_short',
    'agm_short',
  ])
    expect(resemblesAgentToken(text)).toBe(true);
  for (const text of ['', '100%', 'x-agp_short', 'my agp_ token']) expect(resemblesAgentToken(text)).toBe(false);
});
