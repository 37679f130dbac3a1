import type { CallPath, TextSource } from '../src/text-source.ts';

export const chat = { api: 'openai', method: 'POST', path: '/v1/chat/completions' } as const;
export const responses = { api: 'openai', method: 'POST', path: '/v1/responses' } as const;
export const messages = { api: 'anthropic', method: 'POST', path: '/v1/messages' } as const;
export const gemini = {
  api: 'gemini',
  method: 'POST',
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
} as const;

/** A request with this body, an object or its JSON. */
export function send(asked: CallPath, body: unknown): TextSource {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { of: 'request', asked, bytes, contentType: 'application/json' };
}
