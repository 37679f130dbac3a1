import { Anthropic, AnthropicSession } from '@llamaindex/anthropic';
import { OpenAI } from '@llamaindex/openai';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { type Attachment, attachments, type Client, dataUrl, retries } from './client.ts';

const parts: Partial<Record<Attachment, object>> = {
  picture: { type: 'image_url', image_url: { url: dataUrl('picture') } },
  file: { type: 'file', data: attachments.file.base64, mimeType: attachments.file.type },
};

const textOf = (content: unknown) =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text = '' }) => text).join('');

type Model = Pick<OpenAI, 'chat'>;

const getTemperature = {
  call: (asked: { city: string }) => JSON.stringify(readTemperature(asked)),
  metadata: {
    name: temperatureTool.name,
    description: temperatureTool.description,
    parameters: { ...temperatureTool.parameters, required: [...temperatureTool.parameters.required] },
  },
};

function toClient(
  name: string,
  provider: Client['provider'],
  connect: (target: Target) => Model,
  takes: Client['takes'],
): Client {
  return {
    name,
    provider,
    takes,
    ends: false,
    async ask(target, attached) {
      const content = [{ type: 'text' as const, text: question }, ...(attached ? [parts[attached]] : [])];
      const { message } = await connect(target).chat({ messages: [{ role: 'user', content: content as never }] });
      return textOf(message.content);
    },
    async stream(target, show) {
      const messages = [{ role: 'user' as const, content: question }];
      for await (const { delta } of await connect(target).chat({ messages, stream: true })) show(delta);
    },
    async useTools(target) {
      const model = connect(target);
      const tools = [getTemperature as never];
      const messages: Parameters<Model['chat']>[0]['messages'] = [{ role: 'user', content: question }];
      const { message } = await model.chat({ messages, tools });
      messages.push(message);
      const { toolCall = [] } = message.options as { toolCall?: { id: string; input: { city: string } }[] };
      for (const { id, input } of toolCall) {
        const result = getTemperature.call(typeof input === 'string' ? JSON.parse(input) : input);
        messages.push({ role: 'user', content: result, options: { toolResult: { id, result, isError: false } } });
      }
      return textOf((await model.chat({ messages, tools })).message.content);
    },
  };
}

export const llamaindexClients = [
  toClient(
    'llamaindex openai',
    'openai',
    (target) =>
      new OpenAI({
        model: models.openai,
        apiKey: 'sk-test',
        baseURL: `${target.baseUrl}/v1`,
        additionalSessionOptions: { defaultHeaders: target.headers },
        ...retries(target),
      }),
    ['picture', 'file'],
  ),
  toClient(
    'llamaindex anthropic',
    'anthropic',
    (target) => {
      const { baseUrl: baseURL, headers: defaultHeaders } = target;
      const session = new AnthropicSession({ baseURL, apiKey: 'sk-ant-test', defaultHeaders, ...retries(target) });
      return new Anthropic({ model: models.anthropic, session }) as never;
    },
    ['picture', 'file'],
  ),
];
