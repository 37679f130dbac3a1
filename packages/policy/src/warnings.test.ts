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
  [{ providers: { allow: ['*'] } }, ['providers allows everything, so it can change nothing']],
  [{ providers: { allow: ['*'], deny: ['openai'] } }, []],
  [
    { models: { allow: ['gpt-5', '*'] } },
    ['models allows everything, so it can change nothing, but refuses what cannot be read'],
  ],
  [
    { match: { tags: ['t'], not: { agents: ['a', 'b*', 'c', 'claimed', 'd'] } } },
    [
      "it goes by agents' names (a, b*, c ...), which under AGENT_IDENTITY=open anybody may take or leave: give out agent tokens, or use labels",
    ],
  ],
  [
    { match: { agents: ['claimed'] } },
    [
      "it goes by agents' names (claimed), which under AGENT_IDENTITY=open anybody may take or leave: give out agent tokens, or use labels",
    ],
  ],
  [
    {
      limits: { max_input_bytes: 1 },
      exceptions: [
        { match: { agents: ['claimed'] }, rules: ['limits', 'models'], until: '2026-11-26', reason: 'x' },
        { match: { tags: ['t'] }, rules: ['limit'], until: '2027-01-01', reason: 'x' },
      ],
    },
    [
      'the exception for agent claimed ended 2026-11-26, so it lets nothing pass',
      'the exception for agent claimed names models, which is no rule of this policy',
      'the exception for tag t names limit, which is no rule of this policy',
      'it lets pass by tags (t), which a request may set itself if its agent has none',
    ],
  ],
  [{ providers: { allow: ['OpenAI', 'gro*'] }, match: { providers: ['groq'] } }, []],
  [
    { providers: { deny: ['opnai'] }, match: { providers: ['azure'], not: { providers: ['b*'] } } },
    ['azure', 'b*', 'opnai'].map((each) => `no provider is named ${each}`),
  ],
])('%j: %j', (given, expected) => {
  const policy = policySchema.parse({ name: 'p', ...given });
  const known = { providers: ['openai', 'groq'], now, isOpen: true, claimed: ['claimed'] };
  expect(finish(findWarnings([policy], known))).toEqual(expected.map((each) => `p: ${each}`));
});
