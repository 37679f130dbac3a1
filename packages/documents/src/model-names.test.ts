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
   claude-sonnet-4-5 us.anthropic.claude-sonnet-4-5-20250929-v1:0
   claude-sonnet-4-5 ca.anthropic.claude-sonnet-4-5-20250929-v1:0
   claude-sonnet-4-5 us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0
   claude-sonnet-4-5 arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0
   us.anthropic.claude-sonnet-4-5 arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0
   anthropic.claude-sonnet-4-5 global.anthropic.claude-sonnet-4-5-20250929-v1:0
   anthropic.* arn:aws-cn:bedrock:cn-north-1::foundation-model/anthropic.claude-opus-5-v1:0
   claude-opus-5 arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/anthropic.claude-opus-5-v1:0
   kimi-k3 global.moonshotai.kimi-k3
   arn:aws:bedrock:us-east-1:123456789012:prompt/ABCDEF1234:100 arn:aws:bedrock:us-east-1:123456789012:prompt/ABCDEF1234:100
   arn:aws:bedrock:* arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6
   claude-opus-5 arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1-100#us.anthropic.claude-opus-5-20260901-v1:0
   arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1-100 arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1-100#us.anthropic.claude-opus-5-v1:0
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
   us.anthropic.claude-sonnet-4-5 eu.anthropic.claude-sonnet-4-5-20250929-v1:0
   arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1 arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1-100#us.anthropic.claude-opus-5-v1:0
   claude-opus-5-mini arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1-100#us.anthropic.claude-opus-5-v1:0
   a1b2c3d4e5f6 arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6
   arn:aws:bedrock:us-east-1:123456789012:prompt/ABCDEF1234 arn:aws:bedrock:us-east-1:123456789012:prompt/ABCDEF1234:100
   claude-opus-5 arn:aws:bedrock:us-east-1:123456789012:provisioned-model/claude-opus-5
   claude-opus-5 arn:aws:bedrock:us-east-1:123456789012:custom-model-deployment/anthropic.claude-opus-5
   claude-opus-5 arn:aws:bedrock:us-east-1:123456789012:imported-model/claude-opus-5
   claude arn:aws:bedrock:us-east-1:123456789012:default-prompt-router/anthropic.claude:1
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
