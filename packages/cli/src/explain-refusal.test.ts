import { errorTable } from '@agp/core/errors';
import { expect, test } from 'vitest';
import { explainRefusal } from './explain-refusal.ts';

test('every code that the proxy alone refuses with is explained, and nothing that an object inherits', () => {
  // The table has the codes of the management API after those of the proxy.
  const codes = Object.keys(errorTable);
  const ofProxy = codes.slice(0, codes.indexOf('invalid_parameter'));
  expect(ofProxy).toContain('audit_unavailable');
  for (const code of ofProxy)
    expect([code, explainRefusal(code)]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
  for (const code of ['constructor', '__proto__', 'not_a_code']) expect(explainRefusal(code)).toBeNull();
});
