import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, type LanguageModel, type ModelMessage, Output, streamText, tool } from 'ai';
import { collect, type SdkCall, type Target } from './call.ts';
import {
  afterthought,
  type Conversation,
  models,
  question,
  readTemperature,
  temperatureTool,
  weather,
} from './conversation.ts';

type Connect = (target: Target) => LanguageModel;

/** The Vercel AI SDK's ways to each API. */
export const vercelModels: { name: string; provider: SdkCall['provider']; connect: Connect }[] = [
  {
    name: 'vercel openai chat',
    provider: 'openai',
    connect: ({ baseUrl, headers }) =>
      createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-test', headers }).chat(models.openai),
  },
  {
    name: 'vercel openai responses',
    provider: 'openai',
    connect: ({ baseUrl, headers }) =>
      createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-test', headers }).responses(models.openai),
  },
  {
    name: 'vercel anthropic',
    provider: 'anthropic',
    connect: ({ baseUrl, headers }) =>
      createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-ant-test', headers })(models.anthropic),
  },
  {
    name: 'vercel google',
    provider: 'gemini',
    connect: ({ baseUrl, headers }) =>
      createGoogleGenerativeAI({ baseURL: `${baseUrl}/v1beta`, apiKey: 'test', headers })(models.gemini),
  },
];

const tools = {
  get_temperature: tool({
    description: temperatureTool.description,
    inputSchema: temperatureTool.input,
    execute: readTemperature,
  }),
};

async function runTools(model: LanguageModel, stream: boolean, { maxRetries = 0 }: Target): Promise<unknown> {
  const messages: ModelMessage[] = [{ role: 'user', content: question }];
  const seen: unknown[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const asked = { model, tools, messages, stopWhen: isStepCount(4), maxRetries };
    const running = stream ? streamText(asked) : null;
    if (running) seen.push(await collect(running.fullStream));
    const steps = running ? await running.steps : (await generateText(asked)).steps;
    seen.push(steps);
    messages.push(...steps.flatMap((step) => step.response.messages), { role: 'user', content: afterthought });
  }
  return seen;
}

async function runStructured(model: LanguageModel, { maxRetries = 0 }: Target): Promise<unknown> {
  const output = Output.object({ schema: weather, name: 'weather' });
  const whole = await generateText({ model, output, prompt: question, maxRetries });
  const streamed = streamText({ model, output, prompt: question, maxRetries });
  const parts = await collect(streamed.partialOutputStream);
  return { whole: whole.output, steps: whole.steps, parts, streamed: await streamed.output };
}

export const vercelConversations: Conversation[] = vercelModels.flatMap(({ name, provider, connect }) => [
  { name: `${name}: tools`, provider, run: (target: Target) => runTools(connect(target), false, target) },
  { name: `${name}: streamed tools`, provider, run: (target: Target) => runTools(connect(target), true, target) },
  { name: `${name}: structured output`, provider, run: (target: Target) => runStructured(connect(target), target) },
]);
