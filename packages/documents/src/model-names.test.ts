import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isModelListed } from './model-names.ts';

test.each(
  `gpt-5 GPT-5-2025-08-07
   gpt-5 gpt-5-latest
   gpt-5 openai/gpt-5
   gpt-5 openrouter/openai/gpt-5-2025-08-07
   gpt-5 @prod/gpt-5
   gpt-5 openai/gpt-5:online:nitro
   gpt-5* azure/gpt-5-mini
   gpt-4o ft:gpt-4o-2024-08-06:org::id
   gpt-4o* ft:gpt-4o-mini:org::id
   gpt-4 gpt-4-0613
   gpt-4 gpt-4-1106-preview
   claude-sonnet-4 claude-sonnet-4@20250514
   claude-sonnet-4 us.anthropic.claude-sonnet-4-20250514-v1:0
   gemini-2.5-flash gemini-2.5-flash-preview-04-17
   gemini-2.0-flash gemini-2.0-flash-001
   gpt-5-latest gpt-5
   openai/gpt-5 openai/gpt-5-2025-08-07
   evil/gpt-5 evil/gpt-5`
    .split(/\n/)
    .map((line) => line.trim().split(' ')),
)('the pattern %s is of the model %s', (pattern, name) => {
  expect(isModelListed([pattern as string], name as string)).toBe(true);
});

test.each(
  `gpt-5 gpt-5-mini
   gpt-5 gpt-5.1
   gpt-5 gpt-5-pro-2025-08-07
   gpt-5 evil/gpt-5
   gpt-5 openai/evil/gpt-5
   gpt-5 tunedModels/gpt-5
   gpt-5 gpt-5,gpt-6
   gpt-5 gpt-5-2025-08-07x
   claude-sonnet-4 claude-sonnet-4-5
   claude-sonnet-4 claude-sonnet-4-5-20250929
   qwen3 qwen3-235b-a22b
   deepseek deepseek-v3
   gpt-5-2025-08-07 gpt-5
   openai/gpt-5 gpt-5`
    .split(/\n/)
    .map((line) => line.trim().split(' ')),
)('the pattern %s is not of the model %s', (pattern, name) => {
  expect(isModelListed([pattern as string], name as string)).toBe(false);
});

test('names of any form are compared without an error, and each is its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '1', '-', '/', ':', '.', '@', '*'), maxLength: 40 }), (name) => {
      expect(isModelListed([name], name)).toBe(true);
      expect(isModelListed(['*'], name)).toBe(true);
    }),
  );
});
