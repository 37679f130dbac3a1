import { expect, test } from 'vitest';
import { hideCredentials } from './hide-credentials.ts';

test('credentials are named instead of shown, anywhere in a text', () => {
  const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ4rS'.repeat(2)}`;
  expect(hideCredentials(`the model ${key} is unknown; ${key}`)).toBe('the model [api_key] is unknown; [api_key]');
  const token = `agp_${'aB3dE5gH7jK9mN1pQ4rS'.repeat(3).slice(0, 43)}`;
  expect(hideCredentials(token)).toBe('[api_key]');
  expect(hideCredentials('connect to postgres://agp:hT7fk29dQx@db:5432/agp failed')).not.toContain('hT7fk29dQx');
  for (const plain of [
    'gpt-4o-mini-2024-07-18',
    'evt_01m805tth0e9591b71z6m9d3kw',
    'ses_run-1',
    'ECONNREFUSED 10.0.0.1:5432',
  ])
    expect(hideCredentials(plain)).toBe(plain);
});
