import type Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { collect, type Target } from './call.ts';
import { connectAnthropic } from './connect.ts';
import {
  afterthought,
  type Conversation,
  models,
  question,
  readTemperature,
  temperatureTool,
  weather,
} from './conversation.ts';

const model = models.anthropic;
const { name, description, parameters } = temperatureTool;
const tool = { name, description, input_schema: { ...parameters, required: [...parameters.required] } };

async function runTools(target: Target, stream: boolean): Promise<unknown> {
  const anthropic = connectAnthropic(target);
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
  const seen: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const asked = { model, max_tokens: 500, tools: [tool], messages };
    const running = stream ? anthropic.messages.stream(asked) : null;
    if (running) seen.push(await collect(running));
    const message = running ? await running.finalMessage() : await anthropic.messages.create(asked);
    seen.push(message);
    messages.push({ role: 'assistant', content: message.content });
    const results = message.content
      .filter((block) => block.type === 'tool_use')
      .map(({ id, input }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: JSON.stringify(readTemperature(temperatureTool.input.parse(input))),
      }));
    messages.push({ role: 'user', content: results.length > 0 ? results : afterthought });
  }
  return seen;
}

/** The client's own loop, which asks the beta path. */
async function runRunner(target: Target): Promise<unknown> {
  const runner = connectAnthropic(target).beta.messages.toolRunner({
    model,
    max_tokens: 500,
    messages: [{ role: 'user', content: question }],
    tools: [
      {
        ...tool,
        run: (input) => JSON.stringify(readTemperature(temperatureTool.input.parse(input))),
        parse: (input) => input,
      },
    ],
  });
  return [await collect(runner), runner.params.messages];
}

async function runStructured(target: Target): Promise<unknown> {
  const anthropic = connectAnthropic(target);
  const asked = {
    model,
    max_tokens: 500,
    messages: [{ role: 'user' as const, content: question }],
    output_config: { format: zodOutputFormat(weather) },
  };
  return [await anthropic.messages.parse(asked), await anthropic.messages.stream(asked).finalMessage()];
}

export const anthropicConversations: Conversation[] = [
  { name: 'anthropic: tools', provider: 'anthropic', run: (target) => runTools(target, false) },
  { name: 'anthropic: streamed tools', provider: 'anthropic', run: (target) => runTools(target, true) },
  { name: "anthropic: the client's tool runner", provider: 'anthropic', run: runRunner },
  { name: 'anthropic: structured output', provider: 'anthropic', run: runStructured },
];
