import type { SdkCall } from '../../wire/sdks/call.ts';

/** One way to ask a provider. */
export interface Kind {
  name: string;
  api: SdkCall['provider'];
  models: readonly string[];
  streams: boolean;
  /** Whether it answers in text; embeddings do not. */
  writes: boolean;
  tools: boolean;
  path(model: string): string;
  body(model: string, text: string): object;
}

/** What every agent says first. */
export const system = 'You are a careful assistant.';
const chatBody = (more: object) => (model: string, text: string) => ({
  model,
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: text },
  ],
  ...more,
});
const messagesBody = (more: object) => (model: string, text: string) => ({
  model,
  max_tokens: 4_000,
  system,
  messages: [{ role: 'user', content: text }],
  ...more,
});
const responsesBody = (more: object) => (model: string, text: string) => ({
  model,
  instructions: system,
  input: text,
  ...more,
});
const contentBody = (_model: string, text: string) => ({
  systemInstruction: { parts: [{ text: system }] },
  contents: [{ role: 'user', parts: [{ text }] }],
});
const gpt = ['gpt-5', 'gpt-5-mini', 'gpt-4.1'];
const claude = ['claude-opus-4-5', 'claude-haiku-4-5'];
const geminiModels = ['gemini-2.5-flash', 'gemini-2.5-pro'];
const generates = { writes: true, tools: true };
const fixed = (path: string) => () => path;
const chat = { api: 'openai', models: gpt, ...generates, path: fixed('/openai/v1/chat/completions') } as const;
const completions = {
  api: 'openai',
  models: ['gpt-3.5-turbo-instruct'],
  writes: true,
  tools: false,
  path: fixed('/openai/v1/completions'),
} as const;
const responses = { api: 'openai', models: gpt, ...generates, path: fixed('/openai/v1/responses') } as const;
const messages = { api: 'anthropic', models: claude, ...generates, path: fixed('/anthropic/v1/messages') } as const;
const gemini = { api: 'gemini', models: geminiModels, ...generates, body: contentBody } as const;
const geminiPath = (method: string) => (model: string) => `/gemini/v1beta/models/${model}:${method}`;
const usageAsked = { stream: true, stream_options: { include_usage: true } };

/** Every API that bills by the token, streamed or not. */
export const kinds: Kind[] = [
  { name: 'openai chat', ...chat, streams: false, body: chatBody({}) },
  { name: 'openai chat stream', ...chat, streams: true, body: chatBody({ stream: true }) },
  { name: 'openai chat stream, usage asked', ...chat, streams: true, body: chatBody(usageAsked) },
  {
    name: 'openai completions',
    ...completions,
    streams: false,
    body: (model, prompt) => ({ model, prompt }),
  },
  {
    name: 'openai completions stream',
    ...completions,
    streams: true,
    body: (model, prompt) => ({ model, prompt, stream: true }),
  },
  { name: 'openai responses', ...responses, streams: false, body: responsesBody({}) },
  { name: 'openai responses stream', ...responses, streams: true, body: responsesBody({ stream: true }) },
  {
    name: 'openai embeddings',
    api: 'openai',
    models: ['text-embedding-3-small', 'text-embedding-3-large'],
    streams: false,
    writes: false,
    tools: false,
    path: fixed('/openai/v1/embeddings'),
    body: (model, input) => ({ model, input }),
  },
  { name: 'anthropic messages', ...messages, streams: false, body: messagesBody({}) },
  { name: 'anthropic messages stream', ...messages, streams: true, body: messagesBody({ stream: true }) },
  { name: 'gemini generateContent', ...gemini, streams: false, path: geminiPath('generateContent') },
  { name: 'gemini stream, SSE', ...gemini, streams: true, path: geminiPath('streamGenerateContent?alt=sse') },
  { name: 'gemini stream, JSON array', ...gemini, streams: true, path: geminiPath('streamGenerateContent') },
];
