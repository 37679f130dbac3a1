import { aimockAnswer } from '@agp/testing/providers';
import { listAnthropicCalls } from './anthropic-calls.ts';
import type { SdkCall } from './call.ts';
import { listGeminiCalls } from './gemini-calls.ts';
import { listOpenaiCalls } from './openai-calls.ts';

/** What an event must say: the provider's figures, and their cost by the provider's list prices. */
export interface Expected {
  model: string;
  prompt: number;
  completion: number;
  /** In nano-dollars. A list price of 1 USD per million tokens is 1,000 nano-dollars per token. */
  nano: number;
}

// 100 tokens of plain input, 1,024 read from a cache, 30 written to it for 5 minutes and 7 for an hour (Anthropic
// alone), 5 of visible output and 64 of reasoning.
export const figures = { input: 100, cacheRead: 1_024, cacheWrite5m: 30, cacheWrite1h: 7, output: 5, reasoning: 64 };
export const fakeText = 'The answer is 42.';

/** 1.25 USD per million of input, 0.125 where cached, 10 of output. */
export const gpt5: Expected = {
  model: 'gpt-5',
  prompt: 1_124,
  completion: 69,
  nano: 100 * 1_250 + 1_024 * 125 + 69 * 10_000,
};
/** 0.02 USD per million. */
const embedding: Expected = { model: 'text-embedding-3-small', prompt: 100, completion: 0, nano: 100 * 20 };
/** 5 USD per million of input, 0.50 read from a cache, 6.25 written for 5 minutes, 10 for an hour, 25 of output. */
export const opus: Expected = {
  model: 'claude-opus-4-5',
  prompt: 1_161,
  completion: 69,
  nano: 100 * 5_000 + 1_024 * 500 + 30 * 6_250 + 7 * 10_000 + 69 * 25_000,
};
/** 0.30 USD per million of input, 0.03 where cached, 2.50 of output. */
export const flash: Expected = {
  model: 'gemini-2.5-flash',
  prompt: 1_124,
  completion: 69,
  nano: 30_000 + 30_720 + 172_500,
};

// The third party's fake: 321 tokens in, 45 out, 0 for embeddings.
const { promptTokens: prompt, completionTokens: completion } = aimockAnswer;
/** 0.25 and 2 USD per million. */
const gpt5Mini: Expected = { model: 'gpt-5-mini', prompt, completion, nano: 321 * 250 + 45 * 2_000 };
/** 1 and 5 USD per million. */
const haiku: Expected = { model: 'claude-haiku-4-5', prompt, completion, nano: 321 * 1_000 + 45 * 5_000 };
/** 0.30 and 2.50 USD per million. */
const flashPlain: Expected = { model: 'gemini-2.5-flash', prompt, completion, nano: 321 * 300 + 45 * 2_500 };
/** The fake reports zeros: the one token of the input is counted. */
const uncounted: Expected = { model: 'text-embedding-3-small', prompt: 1, completion: 0, nano: 20 };

export const openaiCalls = listOpenaiCalls('gpt-5');
export const anthropicCalls = listAnthropicCalls('claude-opus-4-5');
export const geminiCalls = listGeminiCalls('gemini-2.5-flash');
export const fakeCalls: [SdkCall, Expected][] = [
  [openaiCalls.chat, gpt5],
  [openaiCalls.chatStream, gpt5],
  [openaiCalls.chatStreamUsage, gpt5],
  [openaiCalls.responses, gpt5],
  [openaiCalls.responsesStream, gpt5],
  [openaiCalls.embeddingsBase64, embedding],
  [anthropicCalls.messages, opus],
  [anthropicCalls.messagesStream, opus],
  [geminiCalls.generateContent, flash],
  [geminiCalls.generateContentStream, flash],
];
export const aimockOpenai = listOpenaiCalls('gpt-5-mini');
export const aimockAnthropic = listAnthropicCalls('claude-haiku-4-5');
export const aimockCalls: [SdkCall, Expected][] = [
  [aimockOpenai.chat, gpt5Mini],
  [aimockOpenai.chatStream, gpt5Mini],
  [aimockOpenai.chatStreamUsage, gpt5Mini],
  [aimockOpenai.responses, gpt5Mini],
  [aimockOpenai.responsesStream, gpt5Mini],
  [aimockOpenai.embeddings, uncounted],
  [aimockAnthropic.messages, haiku],
  [aimockAnthropic.messagesStream, haiku],
  [geminiCalls.generateContent, flashPlain],
  [geminiCalls.generateContentStream, flashPlain],
];
