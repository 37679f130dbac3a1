import { expect, test } from 'vitest';
import { isPagePath } from '../console/console-files.ts';
import { toReturnPath } from './oidc-flow.ts';

test.each([
  ['/agents?order=name', '/agents?order=name'],
  ['//evil.test', '/'],
  ['/\\evil.test', '/'],
  ['/.//evil.test', '/'],
  ['/x/..//evil.test', '/'],
  ['/%2e//evil.test', '/'],
  ['/./\\evil.test', '/'],
  ['https://evil.test', '/'],
  ['/api/v1/events', '/'],
])('%s leads to %s', (asked, path) => {
  expect(toReturnPath(asked, isPagePath)).toBe(path);
});
