import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
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

type Connect = (target: Target) => BaseChatModel;

const connectOpenai =
  (useResponsesApi: boolean): Connect =>
  ({ baseUrl, headers, maxRetries = 0 }) =>
    new ChatOpenAI({
      model: models.openai,
      apiKey: 'sk-test',
      maxRetries,
      useResponsesApi,
      configuration: { baseURL: `${baseUrl}/v1`, defaultHeaders: headers },
    });

interface LangchainModel {
  name: string;
  provider: SdkCall['provider'];
  /** How it gets a schema followed. */
  method: 'jsonSchema' | 'functionCalling';
  connect: Connect;
}

/** LangChain's ways to each API. */
export const langchainModels: LangchainModel[] = [
  { name: 'langchain openai chat', provider: 'openai', method: 'jsonSchema', connect: connectOpenai(false) },
  { name: 'langchain openai responses', provider: 'openai', method: 'functionCalling', connect: connectOpenai(true) },
  {
    name: 'langchain anthropic',
    provider: 'anthropic',
    method: 'jsonSchema',
    connect: ({ baseUrl, headers, maxRetries = 0 }) =>
      new ChatAnthropic({
        model: models.anthropic,
        apiKey: 'sk-ant-test',
        maxRetries,
        anthropicApiUrl: baseUrl,
        clientOptions: { defaultHeaders: headers },
      }),
  },
];

const { name: toolName, description, input } = temperatureTool;
const getTemperature = tool((asked) => JSON.stringify(readTemperature(asked)), {
  name: toolName,
  description,
  schema: input,
});

async function runTools(chatModel: BaseChatModel, stream: boolean): Promise<unknown> {
  const model = chatModel.bindTools?.([getTemperature]) ?? chatModel;
  const messages: BaseMessage[] = [new HumanMessage(question)];
  const seen: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const chunks = stream ? ((await collect(await model.stream(messages))) as AIMessageChunk[]) : [];
    const message = stream ? chunks.reduce((all, chunk) => concat(all, chunk)) : await model.invoke(messages);
    seen.push(chunks, message);
    messages.push(message);
    const calls = (message as AIMessageChunk).tool_calls ?? [];
    for (const call of calls) messages.push(await getTemperature.invoke({ ...call, type: 'tool_call' }));
    if (calls.length === 0) messages.push(new HumanMessage(afterthought));
  }
  return seen.concat(messages);
}

async function runStructured(model: BaseChatModel, method: LangchainModel['method']): Promise<unknown> {
  const structured = model.withStructuredOutput(weather, { name: 'weather', method, includeRaw: true });
  return [await structured.invoke(question), await collect(await structured.stream(question))];
}

export const langchainConversations: Conversation[] = langchainModels.flatMap(({ name, provider, method, connect }) => [
  { name: `${name}: tools`, provider, run: (target: Target) => runTools(connect(target), false) },
  { name: `${name}: streamed tools`, provider, run: (target: Target) => runTools(connect(target), true) },
  { name: `${name}: structured output`, provider, run: (target: Target) => runStructured(connect(target), method) },
]);
