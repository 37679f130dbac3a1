import { GoogleGenAI, type Part } from '@google/genai';
import { GoogleGenAI as GoogleGenAI2025 } from 'google-genai-2025';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { attachments, type Client } from './client.ts';

const model = models.gemini;
const { name: toolName, description, parameters } = temperatureTool;

async function useTools(gemini: GoogleGenAI): Promise<string> {
  const tools = [{ functionDeclarations: [{ name: toolName, description, parametersJsonSchema: parameters }] }];
  const chat = gemini.chats.create({ model, config: { tools } });
  const { functionCalls = [] } = await chat.sendMessage({ message: question });
  const message: Part[] = functionCalls.map(({ id, args }) => ({
    functionResponse: {
      ...(id && { id }),
      name: toolName,
      response: { ...readTemperature(temperatureTool.input.parse(args)) },
    },
  }));
  return (await chat.sendMessage({ message })).text ?? '';
}

async function runBatch(gemini: GoogleGenAI): Promise<string> {
  const src = [{ contents: [{ role: 'user', parts: [{ text: question }] }] }];
  const { name = '' } = await gemini.batches.create({ model, src });
  const { dest } = await gemini.batches.get({ name });
  return (dest?.inlinedResponses ?? []).map(({ response }) => textIn(response)).join('');
}

const textIn = (answer: { candidates?: { content?: { parts?: Part[] } }[] } | undefined) =>
  (answer?.candidates?.[0]?.content?.parts ?? []).map(({ text }) => text).join('');

function toClient(version: string, Client: typeof GoogleGenAI): Client {
  const connect = ({ baseUrl, headers, maxRetries = 0 }: Target) => {
    const retryOptions = maxRetries === 0 ? {} : { retryOptions: { attempts: maxRetries + 1 } };
    return new Client({ apiKey: 'test', httpOptions: { baseUrl, headers, ...retryOptions } });
  };
  return {
    name: `google ${version}`,
    provider: 'gemini',
    takes: ['picture', 'file', 'sound'],
    ends: true,
    async ask(target, attached) {
      const parts: Part[] = [{ text: question }];
      if (attached) {
        const { type: mimeType, base64: data } = attachments[attached];
        parts.push({ inlineData: { mimeType, data } });
      }
      const answer = await connect(target).models.generateContent({ model, contents: [{ role: 'user', parts }] });
      return answer.text ?? '';
    },
    async stream(target, show) {
      const config = target.signal ? { abortSignal: target.signal } : {};
      const asked = { model, contents: question, config };
      for await (const chunk of await connect(target).models.generateContentStream(asked)) show(chunk.text ?? '');
    },
    useTools: (target) => useTools(connect(target)),
    runBatch: (target) => runBatch(connect(target)),
  };
}

export const googleClients = [
  toClient('today', GoogleGenAI),
  toClient('1.29.1', GoogleGenAI2025 as unknown as typeof GoogleGenAI),
];
