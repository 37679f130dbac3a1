import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { attachments, type Client } from './client.ts';

const getTemperature = createTool({
  id: temperatureTool.name,
  description: temperatureTool.description,
  inputSchema: temperatureTool.input,
  execute: async (asked) => readTemperature(asked),
});

function toClient(
  name: string,
  provider: Client['provider'],
  connect: (target: Target) => unknown,
  takes: Client['takes'],
): Client {
  const toAgent = (target: Target, tools = {}) =>
    new Agent({
      id: 'forecaster',
      name: 'Forecaster',
      instructions: 'Answer.',
      model: connect(target) as never,
      tools,
      ...(target.maxRetries === undefined ? {} : { maxRetries: target.maxRetries }),
    });
  return {
    name,
    provider,
    takes,
    ends: true,
    async ask(target, attached) {
      const text = { type: 'text' as const, text: question };
      if (!attached) return (await toAgent(target).generate(question)).text;
      const { base64: data, type: mediaType, name: filename } = attachments[attached];
      const content = [text, { type: 'file' as const, data, mediaType, filename }];
      return (await toAgent(target).generate([{ role: 'user', content }] as never)).text;
    },
    async stream(target, show) {
      const { signal } = target;
      const result = await toAgent(target).stream(question, signal ? { abortSignal: signal } : {});
      for await (const text of result.textStream) show(text);
      if (result.error) throw result.error;
    },
    async useTools(target) {
      return (await toAgent(target, { get_temperature: getTemperature }).generate(question)).text;
    },
  };
}

export const mastraClients = [
  toClient(
    'mastra openai',
    'openai',
    ({ baseUrl, headers }) => createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-test', headers })(models.openai),
    ['picture', 'file'],
  ),
  toClient(
    'mastra anthropic',
    'anthropic',
    ({ baseUrl, headers }) =>
      createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-ant-test', headers })(models.anthropic),
    ['picture', 'file'],
  ),
  toClient(
    'mastra google',
    'gemini',
    ({ baseUrl, headers }) =>
      createGoogleGenerativeAI({ baseURL: `${baseUrl}/v1beta`, apiKey: 'test', headers })(models.gemini),
    ['picture', 'file', 'sound'],
  ),
];
