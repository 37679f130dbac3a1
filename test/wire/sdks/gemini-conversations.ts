import type { Chat, GenerateContentResponse, Part } from '@google/genai';
import { z } from 'zod';
import { collect, type Target } from './call.ts';
import { connectGemini } from './connect.ts';
import {
  afterthought,
  type Conversation,
  models,
  question,
  readTemperature,
  temperatureTool,
  weather,
} from './conversation.ts';

const model = models.gemini;
const { name, description, parameters } = temperatureTool;
const tools = [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }];

async function say(chat: Chat, message: string | Part[], stream: boolean): Promise<GenerateContentResponse[]> {
  if (!stream) return [await chat.sendMessage({ message })];
  return (await collect(await chat.sendMessageStream({ message }))) as GenerateContentResponse[];
}

async function runTools(target: Target, stream: boolean): Promise<unknown> {
  const chat = connectGemini(target).chats.create({ model, config: { tools } });
  const asking = await say(chat, question, stream);
  const calls = asking.flatMap((answer) => answer.functionCalls ?? []);
  const results = calls.map(({ id, args }) => ({
    functionResponse: { id, name, response: readTemperature(temperatureTool.input.parse(args)) },
  })) as Part[];
  const told = await say(chat, results, stream);
  const last = await say(chat, afterthought, stream);
  return { asking, told, last, history: chat.getHistory() };
}

async function runStructured(target: Target): Promise<unknown> {
  const config = { responseMimeType: 'application/json', responseJsonSchema: z.toJSONSchema(weather) };
  const asked = { model, contents: question, config };
  const gemini = connectGemini(target);
  return [await gemini.models.generateContent(asked), await collect(await gemini.models.generateContentStream(asked))];
}

export const geminiConversations: Conversation[] = [
  { name: 'gemini: chat with tools', provider: 'gemini', run: (target) => runTools(target, false) },
  { name: 'gemini: streamed chat with tools', provider: 'gemini', run: (target) => runTools(target, true) },
  { name: 'gemini: structured output', provider: 'gemini', run: runStructured },
];
