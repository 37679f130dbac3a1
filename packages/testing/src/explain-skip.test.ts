import { expect, test } from 'vitest';
import { MissingServerError } from '../../local-stack/src/servers/find-server.ts';
import { explainSkip } from './explain-skip.ts';

const missing = new MissingServerError('There is no Prometheus on this machine.');

test('where a server is missing its tests are left out with the reason, and fail in CI', () => {
  expect(explainSkip(missing, {})).toBe('NOT CHECKED. There is no Prometheus on this machine.');
  expect(() => explainSkip(missing, { CI: 'true' })).toThrow(missing);
});

test('another error than a missing server is never a reason to skip', () => {
  const broken = new Error('the server does not answer');
  expect(() => explainSkip(broken, {})).toThrow(broken);
});
