import { expect, test } from 'vitest';
import type { z } from 'zod';
import { finish } from '../test/steps.ts';
import { policySchema } from './schema.ts';
import { findWarnings } from './warnings.ts';

const now = new Date('2026-11-26T12:00:00Z');

test.each<[Omit<z.input<typeof policySchema>, 'name'>, string[]]>([
  [{ until: '2026-11-26' }, ['it ended 2026-11-26, so it decides nothing']],
  [{ until: '2026-11-27' }, []],
  [{ operations: { allow: ['Chat', 'images', 'audio.*', 'unknown', 'predict'], deny: ['*'] } }, []],
  [
    { operations: { allow: ['chat.completion'], deny: ['image', 'vidoes*'] } },
    ['chat.completion', 'image', 'vidoes*'].map((each) => `no operation is named ${each}`),
  ],
  [{ providers: { allow: ['OpenAI', 'gro*'] }, match: { providers: ['groq'] } }, []],
  [
    { providers: { deny: ['opnai'] }, match: { providers: ['azure'], not: { providers: ['b*'] } } },
    ['azure', 'b*', 'opnai'].map((each) => `no provider is named ${each}`),
  ],
])('%j: %j', (given, expected) => {
  const policy = policySchema.parse({ name: 'p', ...given });
  expect(finish(findWarnings([policy], ['openai', 'groq'], now))).toEqual(expected.map((each) => `p: ${each}`));
});
