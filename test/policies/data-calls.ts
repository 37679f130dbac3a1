import { EventStreamCodec } from '@smithy/core/event-streams';

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
  converse: (text: string) => [
    '/bedrock/model/eu.amazon.nova-pro-v1%3A0/converse',
    { messages: [{ role: 'user', content: [{ text }] }] },
  ],
  invoke: (text: string) => [
    '/bedrock/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
    { anthropic_version: 'bedrock-2023-05-31', max_tokens: 99, messages: [{ role: 'user', content: text }] },
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
  'converse-stream': (text: string) => [`${calls.converse(text)[0]}-stream`, calls.converse(text)[1]],
  'invoke-with-response-stream': (text: string) => [
    `${calls.invoke(text)[0]}-with-response-stream`,
    calls.invoke(text)[1],
  ],
} as Record<string, (text: string) => [string, object]>;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

/** The text of an answer; of AWS' event stream what each message says, by AWS' own reader. */
export async function readText(response: Response): Promise<string> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.headers.get('content-type') !== 'application/vnd.amazon.eventstream') return bytes.toString();
  const said: string[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const { body } = codec.decode(bytes.subarray(at, at + bytes.readUInt32BE(at)));
    const text = Buffer.from(body).toString();
    const { bytes: inner } = JSON.parse(text) as { bytes?: string };
    said.push(inner === undefined ? text : Buffer.from(inner, 'base64').toString());
  }
  return said.join('\n');
}

/** All texts of an answer, whatever its form, as one. */
export function joined(text: string): string {
  const found: string[] = [];
  for (const [, value = ''] of text.matchAll(/"(?:content|text|delta)":\s*"((?:[^"\\]|\\.)*)"/g))
    found.push(JSON.parse(`"${value}"`) as string);
  return found.join('');
}
