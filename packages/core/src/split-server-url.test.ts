import { expect, test } from 'vitest';
import { splitServerUrl } from './text.ts';

test.each([
  ['postgres://one/agp', ['postgres://one/agp']],
  [
    'postgres://agp:p,a:s%2Fs@[::1]:5432, two:6000/agp?sslmode=verify-full',
    [
      'postgres://agp:p,a:s%2Fs@[::1]:5432/agp?sslmode=verify-full',
      'postgres://agp:p,a:s%2Fs@two:6000/agp?sslmode=verify-full',
    ],
  ],
  ['redis+sentinel://a:1,b/main', ['redis+sentinel://a:1/main', 'redis+sentinel://b/main']],
  ['postgres://one?host=/a,b', ['postgres://one?host=/a,b']],
  ['postgres://one,/agp', ['postgres://one/agp', 'postgres:///agp']],
  ['nothing', ['nothing']],
])('%s is for %j', (text, urls) => {
  expect(splitServerUrl(text)).toEqual(urls);
});
