import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import * as today from 'ai';
import * as old from 'ai-2025';
import { createAnthropic as createAnthropic2025 } from 'ai-sdk-anthropic-2025';
import { createGoogleGenerativeAI as createGoogle2025 } from 'ai-sdk-google-2025';
import { createOpenAI as createOpenAI2025 } from 'ai-sdk-openai-2025';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { attachments, type Client, retries } from './client.ts';

type Sdk = Pick<typeof today, 'generateText' | 'streamText' | 'tool'>;
type Connect = (target: Target) => today.LanguageModel;

interface Version {
  name: string;
  sdk: Sdk;
  openai: typeof createOpenAI;
  anthropic: typeof createAnthropic;
  google: typeof createGoogleGenerativeAI;
}

function toClient(
  { sdk, name: version }: Version,
  name: string,
  provider: Client['provider'],
  takes: Client['takes'],
  connect: Connect,
): Client {
  const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length === 4;
  const tools = {
    get_temperature: sdk.tool({
      description: temperatureTool.description,
      inputSchema: temperatureTool.input,
      execute: readTemperature,
    }),
  };
  return {
    name: `vercel ${version} ${name}`,
    provider,
    takes,
    ends: true,
    async ask(target, attached) {
      const { base64: data, type: mediaType, name: filename } = attachments[attached ?? 'picture'];
      const content = [
        { type: 'text' as const, text: question },
        ...(attached ? [{ type: 'file' as const, data, mediaType, filename }] : []),
      ];
      const asked = { messages: [{ role: 'user' as const, content }], ...retries(target) };
      return (await sdk.generateText({ model: connect(target), ...asked })).text;
    },
    async stream(target, show) {
      let failure: unknown;
      const { textStream } = sdk.streamText({
        model: connect(target),
        prompt: question,
        ...(target.signal ? { abortSignal: target.signal } : {}),
        ...retries(target),
        onError: ({ error }) => {
          failure = error;
        },
      });
      for await (const text of textStream) show(text);
      if (failure) throw failure;
    },
    async useTools(target) {
      return (await sdk.generateText({ model: connect(target), tools, prompt: question, stopWhen, ...retries(target) }))
        .text;
    },
  };
}

function listClients(version: Version): Client[] {
  const connectOpenai = ({ baseUrl, headers }: Target) =>
    version.openai({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-test', headers });
  return [
    toClient(version, 'openai chat', 'openai', ['picture', 'file', 'sound'], (target) =>
      connectOpenai(target).chat(models.openai),
    ),
    toClient(version, 'openai responses', 'openai', ['picture', 'file'], (target) =>
      connectOpenai(target).responses(models.openai),
    ),
    toClient(version, 'anthropic', 'anthropic', ['picture', 'file'], ({ baseUrl, headers }) =>
      version.anthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-ant-test', headers })(models.anthropic),
    ),
    toClient(version, 'google', 'gemini', ['picture', 'file', 'sound'], ({ baseUrl, headers }) =>
      version.google({ baseURL: `${baseUrl}/v1beta`, apiKey: 'test', headers })(models.gemini),
    ),
  ];
}

export const vercelClients = [
  ...listClients({
    name: 'today',
    sdk: today,
    openai: createOpenAI,
    anthropic: createAnthropic,
    google: createGoogleGenerativeAI,
  }),
  ...listClients({
    name: '5.0.102',
    sdk: old as unknown as Sdk,
    openai: createOpenAI2025 as unknown as typeof createOpenAI,
    anthropic: createAnthropic2025 as unknown as typeof createAnthropic,
    google: createGoogle2025 as unknown as typeof createGoogleGenerativeAI,
  }),
];
