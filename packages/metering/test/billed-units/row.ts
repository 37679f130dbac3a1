import type { Answered } from '../measure-call.ts';

export const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  images: '/v1/images/generations',
  transcriptions: '/v1/audio/transcriptions',
  rerank: '/v2/rerank',
  ocr: '/v1/ocr',
  messages: '/v1/messages',
  content: '/v1beta/models/gemini-3-flash-preview:generateContent',
  stream: '/v1beta/models/gemini-3-flash-preview:streamGenerateContent',
  interactions: '/v1beta/interactions',
};

/** What an answer bills, by the vendors' price lists of November 2026, with its parts in USD, and units without a price. */
export type Row = [unit: string, kind: keyof typeof paths, Answered, usd: number, without?: string];

export const tokens = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
export const chatTokens = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };

export const chat = (more: object, usage: object = {}): Answered => ({
  body: { choices: [{ message: { content: 'Hi' } }], usage: { ...chatTokens, ...usage }, ...more },
});
