import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { type Attachment, attachments, type Client, dataUrl, retries } from './client.ts';

const { name: toolName, description, input } = temperatureTool;
const getTemperature = tool((asked) => JSON.stringify(readTemperature(asked)), {
  name: toolName,
  description,
  schema: input,
});

function toPart(kind: Attachment): object {
  if (kind === 'picture') return { type: 'image_url', image_url: { url: dataUrl(kind) } };
  const { type: mime_type, base64: data, name: filename } = attachments[kind];
  const type = kind === 'file' ? 'file' : 'audio';
  return { type, source_type: 'base64', mime_type, data, metadata: { filename } };
}

type Connect = (target: Target) => BaseChatModel;

const toClient = (name: string, provider: Client['provider'], takes: Client['takes'], connect: Connect): Client => ({
  name: `langchain ${name}`,
  provider,
  takes,
  ends: true,
  async ask(target, attached) {
    const content = [{ type: 'text', text: question }, ...(attached ? [toPart(attached)] : [])];
    return (await connect(target).invoke([new HumanMessage({ content } as never)])).text;
  },
  async stream(target, show) {
    const { signal } = target;
    for await (const chunk of await connect(target).stream(question, signal ? { signal } : {})) show(chunk.text);
  },
  async useTools(target) {
    const model = connect(target).bindTools?.([getTemperature]);
    const messages: BaseMessage[] = [new HumanMessage(question)];
    const answer = await model?.invoke(messages);
    if (!answer) return '';
    messages.push(answer);
    for (const call of answer.tool_calls ?? [])
      messages.push(await getTemperature.invoke({ ...call, type: 'tool_call' }));
    return (await model?.invoke(messages))?.text ?? '';
  },
});

const connectOpenai =
  (useResponsesApi: boolean): Connect =>
  (target) =>
    new ChatOpenAI({
      model: models.openai,
      apiKey: 'sk-test',
      useResponsesApi,
      configuration: { baseURL: `${target.baseUrl}/v1`, defaultHeaders: target.headers },
      ...retries(target),
    });

export const langchainClients = [
  toClient('openai chat', 'openai', ['picture', 'file', 'sound'], connectOpenai(false)),
  toClient('openai responses', 'openai', ['picture', 'file'], connectOpenai(true)),
  toClient(
    'anthropic',
    'anthropic',
    ['picture', 'file'],
    (target) =>
      new ChatAnthropic({
        model: models.anthropic,
        apiKey: 'sk-ant-test',
        anthropicApiUrl: target.baseUrl,
        clientOptions: { defaultHeaders: target.headers },
        ...retries(target),
      }),
  ),
  toClient(
    'google',
    'gemini',
    ['picture', 'file', 'sound'],
    (target) =>
      new ChatGoogleGenerativeAI({
        model: models.gemini,
        apiKey: 'test',
        baseUrl: target.baseUrl,
        customHeaders: target.headers,
        ...retries(target),
      }),
  ),
];
