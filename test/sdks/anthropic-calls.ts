import Anthropic from '@anthropic-ai/sdk';
import { collect, type SdkCall, type Target } from './call.ts';

const messages = [{ role: 'user' as const, content: 'How long does the warehouse move take?' }];

function connect({ baseUrl, headers }: Target): Anthropic {
  return new Anthropic({ baseURL: baseUrl, apiKey: 'sk-ant-test', maxRetries: 0, defaultHeaders: headers });
}

/** Calls of the official Anthropic client. */
export function listAnthropicCalls(model: string) {
  const asked = { model, max_tokens: 1_000, messages };
  const whole: SdkCall = {
    name: 'anthropic messages',
    provider: 'anthropic',
    async run(target) {
      const { data, response } = await connect(target).messages.create(asked).withResponse();
      return { answer: data, headers: Object.fromEntries(response.headers) };
    },
  };
  const stream: SdkCall = {
    name: 'anthropic messages stream',
    provider: 'anthropic',
    async run(target) {
      const { data, response } = await connect(target)
        .messages.create({ ...asked, stream: true })
        .withResponse();
      return { answer: await collect(data), headers: Object.fromEntries(response.headers) };
    },
  };
  return { messages: whole, messagesStream: stream };
}
