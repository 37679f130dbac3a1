import type OpenAI from 'openai';
import { collect, type Outcome, type SdkCall } from './call.ts';
import { connectOpenai } from './connect.ts';

const messages = [{ role: 'user' as const, content: 'How long does the warehouse move take?' }];

async function toOutcome(pending: {
  withResponse(): Promise<{ data: unknown; response: Response }>;
}): Promise<Outcome> {
  const { data, response } = await pending.withResponse();
  const streams = typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
  return {
    answer: streams ? await collect(data as AsyncIterable<unknown>) : data,
    headers: Object.fromEntries(response.headers),
  };
}

function call(name: string, start: (openai: OpenAI) => Parameters<typeof toOutcome>[0]): SdkCall {
  return { name: `openai ${name}`, provider: 'openai', run: (target) => toOutcome(start(connectOpenai(target))) };
}

/** Calls of the official OpenAI client. */
export function listOpenaiCalls(model: string) {
  return {
    chat: call('chat completions', (openai) => openai.chat.completions.create({ model, messages })),
    chatStream: call('chat completions stream', (openai) =>
      openai.chat.completions.create({ model, messages, stream: true }),
    ),
    chatStreamUsage: call('chat completions stream that asks for its usage', (openai) =>
      openai.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } }),
    ),
    responses: call('responses', (openai) => openai.responses.create({ model, input: 'How long?' })),
    responsesStream: call('responses stream', (openai) =>
      openai.responses.create({ model, input: 'How long?', stream: true }),
    ),
    embeddings: call('embeddings', (openai) =>
      openai.embeddings.create({ model: 'text-embedding-3-small', input: ['one'], encoding_format: 'float' }),
    ),
    embeddingsBase64: call('embeddings as the client asks for them by itself', (openai) =>
      openai.embeddings.create({ model: 'text-embedding-3-small', input: 'one' }),
    ),
  };
}
