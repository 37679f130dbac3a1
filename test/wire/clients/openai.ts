import OpenAI, { toFile } from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import type { ResponseInput } from 'openai/resources/responses/responses';
import OpenAI2025 from 'openai-2025';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { type Attachment, attachments, type Client, dataUrl, retries } from './client.ts';

const model = models.openai;
const { name: toolName, description, parameters, input: toolInput } = temperatureTool;

const chatParts = {
  picture: { type: 'image_url' as const, image_url: { url: dataUrl('picture') } },
  file: { type: 'file' as const, file: { filename: attachments.file.name, file_data: dataUrl('file') } },
  sound: { type: 'input_audio' as const, input_audio: { data: attachments.sound.base64, format: 'mp3' as const } },
};

const responseParts = {
  picture: { type: 'input_image' as const, image_url: dataUrl('picture'), detail: 'auto' as const },
  file: { type: 'input_file' as const, filename: attachments.file.name, file_data: dataUrl('file') },
};

async function runResponsesTools(openai: OpenAI): Promise<string> {
  const tools = [{ type: 'function' as const, name: toolName, description, parameters, strict: true }];
  const input: ResponseInput = [{ role: 'user', content: question }];
  const { output } = await openai.responses.create({ model, input, tools });
  input.push(...(output as ResponseInput));
  for (const item of output)
    if (item.type === 'function_call')
      input.push({
        type: 'function_call_output',
        call_id: item.call_id,
        output: JSON.stringify(readTemperature(JSON.parse(item.arguments))),
      });
  return (await openai.responses.create({ model, input, tools })).output_text;
}

async function runBatch(openai: OpenAI): Promise<string> {
  const line = { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: { model, messages: [] } };
  const file = await openai.files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from(JSON.stringify(line)), 'batch.jsonl'),
  });
  const made = await openai.batches.create({
    completion_window: '24h',
    endpoint: '/v1/chat/completions',
    input_file_id: file.id,
  });
  const done = await openai.batches.retrieve(made.id);
  return (await openai.files.content(done.output_file_id ?? '')).text();
}

function listClients(version: string, Client: typeof OpenAI): Client[] {
  const connect = (target: Target) =>
    new Client({
      baseURL: `${target.baseUrl}/v1`,
      apiKey: 'sk-test',
      defaultHeaders: target.headers,
      ...retries(target),
    });
  const chat: Client = {
    name: `openai ${version} chat`,
    provider: 'openai',
    takes: ['picture', 'file', 'sound'],
    ends: true,
    async ask(target, attached) {
      const content = [{ type: 'text' as const, text: question }, ...(attached ? [chatParts[attached]] : [])];
      const answer = await connect(target).chat.completions.create({ model, messages: [{ role: 'user', content }] });
      return answer.choices[0]?.message.content ?? '';
    },
    async stream(target, show) {
      const messages = [{ role: 'user' as const, content: question }];
      const { signal } = target;
      const stream = await connect(target).chat.completions.create({ model, messages, stream: true }, { signal });
      for await (const { choices } of stream) show(choices[0]?.delta.content ?? '');
    },
    async useTools(target) {
      const runner = connect(target).chat.completions.runTools({
        model,
        tools: [zodFunction({ name: toolName, description, parameters: toolInput, function: readTemperature })],
        messages: [{ role: 'user', content: question }],
      });
      return String(await runner.finalContent());
    },
    runBatch: (target) => runBatch(connect(target)),
  };
  const responses: Client = {
    name: `openai ${version} responses`,
    provider: 'openai',
    takes: ['picture', 'file'],
    ends: true,
    async ask(target, attached) {
      const parts = attached ? [responseParts[attached as Exclude<Attachment, 'sound'>]] : [];
      const content = [{ type: 'input_text' as const, text: question }, ...parts];
      return (await connect(target).responses.create({ model, input: [{ role: 'user', content }] })).output_text;
    },
    async stream(target, show) {
      const { signal } = target;
      const stream = await connect(target).responses.create({ model, input: question, stream: true }, { signal });
      for await (const event of stream) if (event.type === 'response.output_text.delta') show(event.delta);
    },
    useTools: (target) => runResponsesTools(connect(target)),
  };
  return [chat, responses];
}

export const openaiClients = [
  ...listClients('today', OpenAI),
  ...listClients('6.9.1', OpenAI2025 as unknown as typeof OpenAI),
];
