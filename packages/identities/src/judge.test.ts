import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claims, findIssuer, judge, NoWorkload } from './judge.ts';
import { type Identity, identitySchema } from './schema.ts';

const kubernetes = {
  iss: 'https://kubernetes.default.svc',
  aud: ['agp', 'vault'],
  sub: 'system:serviceaccount:prod-eu:mailer',
  'kubernetes.io': { namespace: 'prod-eu', serviceaccount: { name: 'mailer', uid: 'b3f1' }, node: { name: 'n-1' } },
};

function make(...rules: object[]): Identity {
  return identitySchema.parse({
    name: 'cluster',
    issuer: 'https://kubernetes.default.svc',
    audiences: ['agp'],
    keys: { discovery: true },
    rules: rules.map((rule, index) => ({ name: `r${index}`, ...rule })),
  });
}

const byAccount = { agent: '{kubernetes.io/namespace}.{kubernetes.io/serviceaccount/name}' };

function refusalOf(identity: Identity, claims: Claims): NoWorkload {
  try {
    judge(identity, claims);
  } catch (error) {
    if (error instanceof NoWorkload) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('the first rule whose match holds', () => {
  test('makes name, labels and tag of claims', () => {
    const rule = {
      match: { 'kubernetes.io/namespace': ['dev', 'prod-*'], aud: ['vault'] },
      ...byAccount,
      labels: { team: '{kubernetes.io/namespace}', site: 'eu', who: 'of {kubernetes.io/serviceaccount/name}' },
      compliance_tag: 'pci',
    };
    const other = { match: { 'kubernetes.io/namespace': ['PROD-*', 'prod'] }, agent: 'never-{sub}' };
    expect(judge(make(other, rule, byAccount), kubernetes)).toEqual({
      identity: 'cluster',
      rule: 'r1',
      agent: 'prod-eu.mailer',
      labels: { team: 'prod-eu', site: 'eu', who: 'of mailer' },
      complianceTag: 'pci',
      workload: '[[["kubernetes.io","namespace"],"prod-eu"],[["kubernetes.io","serviceaccount","name"],"mailer"]]',
    });
  });

  test('reads a claim by its whole name first, and none of an object or a list by its own members', () => {
    const claims = { 'https://a.example/role': 'batch', a: { b: true }, list: ['x'], constructor: { name: 'own' } };
    expect(judge(make({ agent: '{https://a.example/role}-{a/b}' }), claims).agent).toBe('batch-true');
    expect(judge(make({ agent: '{constructor/name}' }), claims).agent).toBe('own');
    const forms = [{ a: { b: 1 } }, { 'a/b': 1 }].map((each) => judge(make({ agent: '{a/b}' }), each).workload);
    expect(new Set(forms).size).toBe(2);
    for (const path of ['list/0', 'list/length', 'a/toString', 'a/b/length', '__proto__', 'hasOwnProperty/name'])
      expect(refusalOf(make({ agent: `{${path}}` }), claims).claims, path).toEqual([path]);
  });

  test.each([
    ['no match', { match: { sub: ['nobody'], aud: ['agp'] }, ...byAccount }, 'claim sub does not match'],
    ['a claim that is missing', { match: { env: ['prod'] }, ...byAccount }, 'claim env is missing'],
    ['a name without its claim', { agent: '{env}' }, 'claim env is missing'],
    ['a list', { agent: '{aud}' }, 'claim aud is no text'],
    ['an object', { agent: '{kubernetes.io}' }, 'claim kubernetes.io is no text'],
    ['a label without its claim', { ...byAccount, labels: { team: '{env}' } }, 'claim env is missing'],
    ['a tag that is none', { ...byAccount, compliance_tag: '{iss}' }, 'claim iss is no compliance tag'],
    ['a value with the text behind it', { agent: '{sub}:{iss}' }, 'claim sub holds the text that follows it'],
  ])('refuses %s, and names the claim alone', (_what, rule, message) => {
    const refusal = refusalOf(make(rule), kubernetes);
    expect(refusal.message).toContain(message);
    expect(refusal.message).not.toMatch(/prod-eu|mailer|default\.svc|vault/);
  });

  test.each([
    ['too long', 'n'.repeat(129)],
    ['reserved', 'Unnamed-10.0.0.1'],
    ['a token', `agp_${'a'.repeat(43)}`],
    ['a control', 'a\u0007b'],
    ['invisible', 'a\u200bb'],
    ['not in form C', 'e\u0301'],
    ['a space at its end', 'name '],
    ['no text', ''],
    ['beyond whole numbers', 2 ** 53],
    ['a fraction', 0.5],
  ])('makes no name that is %s', (_what, value) => {
    expect(refusalOf(make({ agent: '{sub}' }), { sub: value }).claims).toEqual(['sub']);
  });
});

test('an issuer is found by just its name, and one of its audiences', () => {
  const [one, two] = [make(byAccount), { ...make(byAccount), issuer: 'https://kubernetes.default.svc/' }];
  expect(findIssuer([two, one], kubernetes)).toBe(one);
  expect(findIssuer([one], { ...kubernetes, aud: 'agp' })).toBe(one);
  for (const claims of [{}, { ...kubernetes, aud: ['ag'] }, { ...kubernetes, aud: undefined }, { iss: [one.issuer] }])
    expect(findIssuer([one], claims)).toBeUndefined();
});

describe('two workloads never become one agent', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', '1'), minLength: 1, maxLength: 5 });
  const value = fc.oneof({ weight: 5, arbitrary: letters }, fc.boolean(), fc.integer({ min: 0, max: 11 }));
  const claims = fc.record({ a: value, b: value, c: value });
  const divider = fc.string({ unit: fc.constantFrom('a', '.', '-', '1'), minLength: 1, maxLength: 3 });
  const template = fc
    .record({
      paths: fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 }),
      ends: fc.tuple(divider, divider),
      divider,
    })
    .map(({ paths, ends, divider }) => `${ends[0]}${paths.map((path) => `{${path}}`).join(divider)}${ends[1]}`);

  const tryJudge = (identity: Identity, of: Claims) => {
    try {
      return judge(identity, of);
    } catch (error) {
      if (error instanceof NoWorkload) return null;
      throw error;
    }
  };

  test('by one rule: equal names have equal claims', () => {
    let met = 0;
    fc.assert(
      fc.property(template, fc.array(claims, { minLength: 40, maxLength: 40 }), (agent, tokens) => {
        const identity = make({ agent });
        const known = new Map<string, string>();
        for (const token of tokens) {
          const found = tryJudge(identity, token);
          if (found === null) continue;
          const texts = JSON.stringify((JSON.parse(found.workload) as [string, unknown][]).map(([, of]) => String(of)));
          if (known.has(found.agent)) met += 1;
          expect(known.get(found.agent) ?? texts).toBe(texts);
          known.set(found.agent, texts);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(met).toBeGreaterThan(1_000);
  });

  test('by any rules: what is stored of one is that of another only if the claims are the same', () => {
    fc.assert(
      fc.property(template, template, claims, claims, (one, two, of, others) => {
        const [first, second] = [tryJudge(make({ agent: one }), of), tryJudge(make({ agent: two }), others)];
        if (first === null || second === null || first.workload !== second.workload) return;
        for (const [path] of JSON.parse(first.workload) as ['a' | 'b' | 'c', unknown][])
          expect(of[path]).toStrictEqual(others[path]);
      }),
      { numRuns: 5_000 },
    );
  });
});
