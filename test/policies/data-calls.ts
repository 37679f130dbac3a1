/** A call with a text, by each API. */
export const calls = {
  chat: (text: string) => [
    '/openai/v1/chat/completions',
    { model: 'gpt-5-mini', messages: [{ role: 'user', content: text }] },
  ],
  responses: (text: string) => ['/openai/v1/responses', { model: 'gpt-5-mini', input: text }],
  messages: (text: string) => [
    '/anthropic/v1/messages',
    { model: 'claude-sonnet-5', max_tokens: 99, messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
  ],
  gemini: (text: string) => [
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    { contents: [{ parts: [{ text }] }] },
  ],
} satisfies Record<string, (text: string) => [string, object]>;

export const streams = {
  chat: (text: string) => [calls.chat(text)[0], { ...(calls.chat(text)[1] as object), stream: true }],
  responses: (text: string) => [calls.responses(text)[0], { ...(calls.responses(text)[1] as object), stream: true }],
  messages: (text: string) => [calls.messages(text)[0], { ...(calls.messages(text)[1] as object), stream: true }],
  gemini: (text: string) => [
    '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    calls.gemini(text)[1],
  ],
  'gemini as an array': (text: string) => [
    '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    calls.gemini(text)[1],
  ],
} as Record<string, (text: string) => [string, object]>;

/** All texts of an answer, whatever its form, as one. */
export function joined(text: string): string {
  const found: string[] = [];
  for (const [, value = ''] of text.matchAll(/"(?:content|text|delta)":\s*"((?:[^"\\]|\\.)*)"/g))
    found.push(JSON.parse(`"${value}"`) as string);
  return found.join('');
}
