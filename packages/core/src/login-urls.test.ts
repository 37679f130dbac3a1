import { expect, test } from 'vitest';
import { LoginUrls } from './login-urls.ts';

test('a login that works is kept, one that is refused is followed by the next, and what is read anew counts', () => {
  let text = 'old\n\n new \n';
  const logins = new LoginUrls(() => text);
  expect(logins.choose()).toBe('old');
  logins.refuse('old');
  // Refused at the same moment.
  logins.refuse('old');
  expect(logins.choose()).toBe('new');
  text = 'new\nnewer';
  expect(logins.choose()).toBe('new');
  logins.refuse('new');
  logins.refuse('newer');
  expect(logins.choose()).toBe('new');
  text = 'other';
  logins.refuse('new');
  expect([logins.choose(), new LoginUrls('only').choose()]).toEqual(['other', 'only']);
});
