import { zodFunction, zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import type { ResponseInput, ResponseOutputItem } from 'openai/resources/responses/responses';
import { collect, type Target } from './call.ts';
import { connectOpenai } from './connect.ts';
import {
  afterthought,
  type Conversation,
  models,
  question,
  readTemperature,
  temperatureTool,
  weather,
} from './conversation.ts';

const model = models.openai;
const { name, description, parameters } = temperatureTool;

const runnable = zodFunction({ name, description, parameters: temperatureTool.input, function: readTemperature });

/** The client's own loop runs the tool; a further turn follows on the same messages. */
async function runChatTools(target: Target, stream: boolean): Promise<unknown> {
  const { completions } = connectOpenai(target).chat;
  const asked = { model, tools: [runnable], messages: [{ role: 'user' as const, content: question }] };
  const streaming = stream ? completions.runTools({ ...asked, stream: true }) : null;
  const chunks = streaming ? await collect(streaming) : [];
  const runner = streaming ?? completions.runTools(asked);
  await runner.done();
  const { messages } = runner;
  const last = await completions.create({ model, messages: [...messages, { role: 'user', content: afterthought }] });
  return { chunks, messages, completions: runner.allChatCompletions(), last };
}

async function runResponsesTools(target: Target, stream: boolean): Promise<unknown> {
  const openai = connectOpenai(target);
  const tools = [{ type: 'function' as const, name, description, parameters, strict: true }];
  const input: ResponseInput = [{ role: 'user', content: question }];
  const seen: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const asked = { model, input, tools };
    const running = stream ? openai.responses.stream(asked) : null;
    if (running) seen.push(await collect(running));
    const response = running ? await running.finalResponse() : await openai.responses.create(asked);
    seen.push(response);
    const calls = (response.output as ResponseOutputItem[]).filter((item) => item.type === 'function_call');
    input.push(...(response.output as ResponseInput));
    for (const { call_id, arguments: text } of calls) {
      const output = JSON.stringify(readTemperature(JSON.parse(text)));
      input.push({ type: 'function_call_output', call_id, output });
    }
    if (calls.length === 0) input.push({ role: 'user', content: afterthought });
  }
  return seen;
}

async function runStructured(target: Target): Promise<unknown> {
  const openai = connectOpenai(target);
  const messages = [{ role: 'user' as const, content: question }];
  const chat = { model, messages, response_format: zodResponseFormat(weather, 'weather') };
  const response = { model, input: question, text: { format: zodTextFormat(weather, 'weather') } };
  return [
    await openai.chat.completions.parse(chat),
    await openai.chat.completions.stream(chat).finalChatCompletion(),
    await openai.responses.parse(response),
    await openai.responses.stream(response).finalResponse(),
  ];
}

export const openaiConversations: Conversation[] = [
  { name: 'openai: chat tools', provider: 'openai', run: (target) => runChatTools(target, false) },
  { name: 'openai: streamed chat tools', provider: 'openai', run: (target) => runChatTools(target, true) },
  { name: 'openai: responses tools', provider: 'openai', run: (target) => runResponsesTools(target, false) },
  { name: 'openai: streamed responses tools', provider: 'openai', run: (target) => runResponsesTools(target, true) },
  { name: 'openai: structured output', provider: 'openai', run: runStructured },
];
