import { expect, test } from 'vitest';
import { identitySchema } from './schema.ts';

const rule = { name: 'all', agent: '{sub}' };
const identity = {
  name: 'cluster',
  issuer: 'https://issuer.example',
  audiences: ['agp'],
  keys: { discovery: true },
  rules: [rule],
};
const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'one' };

test('an issuer of few words has defaults', () => {
  expect(identitySchema.parse(identity)).toEqual({
    ...identity,
    algorithms: ['RS256', 'ES256'],
    rules: [{ ...rule, match: {}, labels: {} }],
  });
  for (const keys of [{ jwks_uri: 'https://issuer.example/keys' }, { jwks: { keys: [key] } }])
    expect(identitySchema.safeParse({ ...identity, issuer: 'spiffe-server', keys }).success).toBe(true);
});

const withRule = (changes: object) => ({ rules: [{ ...rule, ...changes }] });

test.each<[what: string, change: object, at: string]>([
  ['no algorithm at all', { algorithms: ['none'] }, 'algorithms.0'],
  ['a symmetric algorithm', { algorithms: ['HS256'] }, 'algorithms.0'],
  ['a symmetric key', { keys: { jwks: { keys: [{ kty: 'oct', k: 'secret' }] } } }, 'keys'],
  ['a private key', { keys: { jwks: { keys: [{ ...key, d: 'secret' }] } } }, 'keys.jwks.keys.0'],
  ['51 keys', { keys: { jwks: { keys: Array.from({ length: 51 }, () => key) } } }, 'keys'],
  ['large keys', { keys: { jwks: { keys: [{ ...key, x5c: ['x'.repeat(70_000)] }] } } }, 'keys.jwks'],
  ['keys by two ways', { keys: { discovery: true, jwks_uri: 'https://issuer.example' } }, 'keys'],
  ['keys from a file', { keys: { jwks_uri: 'file:///etc/passwd' } }, 'keys.jwks_uri'],
  ['a user of the URL', { keys: { jwks_uri: 'https://me:pass@issuer.example' } }, 'keys.jwks_uri'],
  ['discovery without a URL', { issuer: 'spiffe-server' }, 'issuer'],
  ['no audience', { audiences: [] }, 'audiences'],
  ['no rule', { rules: [] }, 'rules'],
  ['two rules of one name', { rules: [rule, rule] }, 'rules'],
  ['an agent of no claim', withRule({ agent: 'all' }), 'rules.0.agent'],
  ['two claims without text between', withRule({ agent: '{a}{b}' }), 'rules.0.agent'],
  ['a brace alone', withRule({ agent: '{sub}}' }), 'rules.0.agent'],
  ['a claim without a name', withRule({ agent: '{sub}{}' }), 'rules.0.agent'],
  ['* within a value', withRule({ match: { sub: ['a*b'] } }), 'rules.0.match.sub.0'],
  ['no value', withRule({ match: { sub: [] } }), 'rules.0.match.sub'],
  ['a label that is the tag', withRule({ labels: { compliance_tag: 'pci' } }), 'rules.0.labels.compliance_tag'],
  ['a tag in capitals', withRule({ compliance_tag: 'PCI' }), 'rules.0.compliance_tag'],
  ['a prototype', withRule({ labels: JSON.parse('{"__proto__": "x"}') as object }), 'rules.0.labels'],
  ['a prototype to match', withRule({ match: JSON.parse('{"__proto__": ["x"]}') as object }), 'rules.0.match'],
])('%s is refused', (_what, change, at) => {
  const { error } = identitySchema.safeParse({ ...identity, ...change });
  expect(error?.issues.map(({ path }) => path.join('.'))).toContain(at);
});
