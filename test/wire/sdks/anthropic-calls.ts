import { collect, type SdkCall } from './call.ts';
import { connectAnthropic } from './connect.ts';

const messages = [{ role: 'user' as const, content: 'How long does the warehouse move take?' }];

/** Calls of the official Anthropic client. */
export function listAnthropicCalls(model: string) {
  const asked = { model, max_tokens: 1_000, messages };
  const whole: SdkCall = {
    name: 'anthropic messages',
    provider: 'anthropic',
    async run(target) {
      const { data, response } = await connectAnthropic(target).messages.create(asked).withResponse();
      return { answer: data, headers: Object.fromEntries(response.headers) };
    },
  };
  const stream: SdkCall = {
    name: 'anthropic messages stream',
    provider: 'anthropic',
    async run(target) {
      const { data, response } = await connectAnthropic(target)
        .messages.create({ ...asked, stream: true })
        .withResponse();
      return { answer: await collect(data), headers: Object.fromEntries(response.headers) };
    },
  };
  return { messages: whole, messagesStream: stream };
}
