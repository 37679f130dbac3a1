import Anthropic from '@anthropic-ai/sdk';
import Anthropic2025 from 'anthropic-sdk-2025';
import type { Target } from '../sdks/call.ts';
import { collect } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { type Attachment, attachments, type Client, retries } from './client.ts';

const common = { model: models.anthropic, max_tokens: 500 };
const { name: toolName, description, parameters } = temperatureTool;

const parts = {
  picture: {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data: attachments.picture.base64 },
  },
  file: {
    type: 'document' as const,
    source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: attachments.file.base64 },
  },
};

const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function useTools(anthropic: Anthropic): Promise<string> {
  const tools = [{ name: toolName, description, input_schema: { ...parameters, required: [...parameters.required] } }];
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
  const { content } = await anthropic.messages.create({ ...common, tools, messages });
  const results = content
    .filter((block) => block.type === 'tool_use')
    .map(({ id, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: JSON.stringify(readTemperature(temperatureTool.input.parse(input))),
    }));
  messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  return textOf(await anthropic.messages.create({ ...common, tools, messages }));
}

async function runBatch(anthropic: Anthropic): Promise<string> {
  const params = { ...common, messages: [{ role: 'user' as const, content: question }] };
  const { id } = await anthropic.messages.batches.create({ requests: [{ custom_id: '1', params }] });
  // It follows the link that the batch names.
  const results = (await collect(
    await anthropic.messages.batches.results(id),
  )) as Anthropic.Messages.MessageBatchIndividualResponse[];
  return results.map(({ result }) => (result.type === 'succeeded' ? textOf(result.message) : result.type)).join('');
}

function toClient(version: string, Client: typeof Anthropic): Client {
  const connect = (target: Target) =>
    new Client({ baseURL: target.baseUrl, apiKey: 'sk-ant-test', defaultHeaders: target.headers, ...retries(target) });
  return {
    name: `anthropic ${version}`,
    provider: 'anthropic',
    takes: ['picture', 'file'],
    ends: true,
    async ask(target, attached) {
      const attachment = attached ? [parts[attached as Exclude<Attachment, 'sound'>]] : [];
      const content = [{ type: 'text' as const, text: question }, ...attachment];
      return textOf(await connect(target).messages.create({ ...common, messages: [{ role: 'user', content }] }));
    },
    async stream(target, show) {
      const messages = [{ role: 'user' as const, content: question }];
      const { signal } = target;
      const stream = await connect(target).messages.create({ ...common, messages, stream: true }, { signal });
      for await (const event of stream)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') show(event.delta.text);
    },
    useTools: (target) => useTools(connect(target)),
    runBatch: (target) => runBatch(connect(target)),
  };
}

export const anthropicClients = [
  toClient('today', Anthropic),
  toClient('0.69.0', Anthropic2025 as unknown as typeof Anthropic),
];
