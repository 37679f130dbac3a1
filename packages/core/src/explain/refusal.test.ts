import { expect, test } from 'vitest';
import { errorTable } from '../errors.ts';
import { explainRefusal, knownRefusals } from './refusal.ts';

test('every code that the proxy alone refuses with is explained at each place, and nothing that an object inherits', () => {
  // The table has the codes of the management API after those of the proxy.
  const codes = Object.keys(errorTable);
  const ofProxy = codes.slice(0, codes.indexOf('invalid_parameter'));
  expect(ofProxy).toContain('audit_unavailable');
  const text = expect.stringMatching(/^["A-Z].*\.$/);
  for (const code of ofProxy)
    for (const place of ['console', 'cli'] as const)
      expect([code, explainRefusal(code, place)]).toEqual([code, { why: text, wayOut: text }]);
  expect(knownRefusals.filter((code) => !codes.includes(code))).toEqual([]);
  for (const code of ['constructor', '__proto__', 'not_a_code']) expect(explainRefusal(code, 'cli')).toBeNull();
});

test('what a policy refused names it, its rule and why, as far as the refusal does', () => {
  const told = (rule: string | null) => explainRefusal('policy_denied', 'cli', rule)?.why;
  expect(told('small-models models: gpt-4 is not allowed')).toBe(
    'Policy small-models, rule models: gpt-4 is not allowed.',
  );
  expect(told('small-models hours')).toBe('Policy small-models, rule hours.');
  expect([told(null), told('nonsense')]).toEqual(['A policy does not allow it.', 'A policy does not allow it.']);
});

test('the way out of what leaves says how it may go', () => {
  const out = (rule: string) => explainRefusal('policy_denied', 'cli', `bank ${rule}: why`)?.wayOut;
  expect(out('pii.request')).toMatch(/policies try -f FILE < text/);
  expect(out('check.response')).toMatch(/^Ask who runs the check/);
  expect(out('where.geo')).toMatch(/inference_geo/);
  expect(out('where.store')).toMatch(/"store": false/);
  expect(out('require.guardrail')).toMatch(/guardrailConfig/);
  expect(out('models')).toBe('Change the request, or ask for an exception.');
});
