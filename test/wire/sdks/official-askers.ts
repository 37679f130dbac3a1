import { type Asker, showAll } from './asker.ts';
import { connectAnthropic, connectGemini, connectOpenai } from './connect.ts';
import { models, question } from './conversation.ts';

const messages = [{ role: 'user' as const, content: question }];
const chat = { model: models.openai, messages };
const response = { model: models.openai, input: question };
const message = { model: models.anthropic, max_tokens: 500, messages };

/** Gemini's client takes the caller's signal beside the question. */
const toGemini = (signal: AbortSignal | undefined) => ({
  model: models.gemini,
  contents: question,
  config: signal ? { abortSignal: signal } : {},
});

export const officialAskers: Asker[] = [
  {
    name: 'openai chat',
    provider: 'openai',
    streams: false,
    ask: async (target, show) =>
      show(await connectOpenai(target).chat.completions.create(chat, { signal: target.signal })),
  },
  {
    name: 'openai chat stream',
    provider: 'openai',
    streams: true,
    ask: async (target, show) =>
      showAll(
        await connectOpenai(target).chat.completions.create({ ...chat, stream: true }, { signal: target.signal }),
        show,
      ),
  },
  {
    name: 'openai responses',
    provider: 'openai',
    streams: false,
    ask: async (target, show) =>
      show(await connectOpenai(target).responses.create(response, { signal: target.signal })),
  },
  {
    name: 'openai responses stream',
    provider: 'openai',
    streams: true,
    ask: async (target, show) =>
      showAll(
        await connectOpenai(target).responses.create({ ...response, stream: true }, { signal: target.signal }),
        show,
      ),
  },
  {
    name: 'anthropic messages',
    provider: 'anthropic',
    streams: false,
    ask: async (target, show) =>
      show(await connectAnthropic(target).messages.create(message, { signal: target.signal })),
  },
  {
    name: 'anthropic messages stream',
    provider: 'anthropic',
    streams: true,
    ask: async (target, show) =>
      showAll(
        await connectAnthropic(target).messages.create({ ...message, stream: true }, { signal: target.signal }),
        show,
      ),
  },
  {
    name: 'gemini generateContent',
    provider: 'gemini',
    streams: false,
    ask: async (target, show) => show(await connectGemini(target).models.generateContent(toGemini(target.signal))),
  },
  {
    name: 'gemini generateContentStream',
    provider: 'gemini',
    streams: true,
    ask: async (target, show) =>
      showAll(await connectGemini(target).models.generateContentStream(toGemini(target.signal)), show),
  },
];
