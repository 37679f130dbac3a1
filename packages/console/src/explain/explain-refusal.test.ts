import { errorTable } from '@agp/core/errors';
import { expect, test } from 'vitest';
import { explainRefusal, knownRefusals } from './explain-refusal.ts';

test('every code that the proxy can refuse with is explained, and no other', () => {
  const codes = Object.keys(errorTable);
  expect(knownRefusals.filter((code) => !codes.includes(code))).toEqual([]);
  const ofProxy = codes.slice(0, codes.indexOf('invalid_parameter'));
  expect(ofProxy.filter((code) => !knownRefusals.includes(code))).toEqual([]);
});

test('a code of another version says so, whatever it is called', () => {
  expect(explainRefusal('constructor').why).toMatch(/does not know/);
});
