import { generateText, streamText } from 'ai';
import { type Asker, showAll } from './asker.ts';
import type { Target } from './call.ts';
import { question } from './conversation.ts';
import { langchainModels } from './langchain-conversations.ts';
import { vercelModels } from './vercel-conversations.ts';

function toVercel({ signal, timeoutMs }: Target) {
  return {
    prompt: question,
    maxRetries: 0,
    ...(signal ? { abortSignal: signal } : {}),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  };
}

const vercelAskers: Asker[] = vercelModels.flatMap(({ name, provider, connect }) => [
  {
    name,
    provider,
    streams: false,
    ask: async (target, show) => show((await generateText({ model: connect(target), ...toVercel(target) })).steps),
  },
  {
    name: `${name} stream`,
    provider,
    streams: true,
    // Its streams show an error as a part and end.
    ask: (target, show) =>
      showAll(streamText({ model: connect(target), ...toVercel(target), onError: () => {} }).fullStream, show),
  },
]);

function toLangchain({ signal, timeoutMs }: Target) {
  return { ...(signal ? { signal } : {}), ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
}

const langchainAskers: Asker[] = langchainModels.flatMap(({ name, provider, connect }) => [
  {
    name,
    provider,
    streams: false,
    ask: async (target, show) => show(await connect(target).invoke(question, toLangchain(target))),
  },
  {
    name: `${name} stream`,
    provider,
    streams: true,
    ask: async (target, show) => showAll(await connect(target).stream(question, toLangchain(target)), show),
  },
]);

export const frameworkAskers: Asker[] = [...vercelAskers, ...langchainAskers];
