import { Agent, OpenAIProvider, type RunConfig, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import type { Target } from '../sdks/call.ts';
import { models, question, readTemperature, temperatureTool } from '../sdks/conversation.ts';
import { type Attachment, attachments, type Client, dataUrl, retries } from './client.ts';

const parts: Record<Attachment, object> = {
  picture: { type: 'input_image', image: dataUrl('picture') },
  file: { type: 'input_file', file: dataUrl('file'), filename: attachments.file.name },
  sound: { type: 'audio', audio: attachments.sound.base64, format: 'mp3' },
};

function toClient(useResponses: boolean): Client {
  const connect = (target: Target) => {
    const { baseUrl, headers } = target;
    const openAIClient = new OpenAI({
      baseURL: `${baseUrl}/v1`,
      apiKey: 'sk-test',
      defaultHeaders: headers,
      ...retries(target),
    });
    const modelProvider = new OpenAIProvider({ openAIClient: openAIClient as never, useResponses });
    // Its traces would go to OpenAI past the proxy, with the key.
    const config: Partial<RunConfig> = { modelProvider, tracingDisabled: true };
    return new Runner(config);
  };
  const agent = new Agent({ name: 'Forecaster', model: models.openai });
  const getTemperature = tool({
    name: temperatureTool.name,
    description: temperatureTool.description,
    parameters: temperatureTool.input,
    execute: async (asked) => JSON.stringify(readTemperature(asked)),
  });
  return {
    name: `openai agents ${useResponses ? 'responses' : 'chat'}`,
    provider: 'openai',
    takes: useResponses ? ['picture', 'file'] : ['picture', 'file', 'sound'],
    ends: true,
    async ask(target, attached) {
      const content = [{ type: 'input_text' as const, text: question }, ...(attached ? [parts[attached]] : [])];
      const result = await connect(target).run(agent, [{ role: 'user', content: content as never }]);
      return result.finalOutput ?? '';
    },
    async stream(target, show) {
      const { signal } = target;
      const result = await connect(target).run(agent, question, { stream: true, ...(signal ? { signal } : {}) });
      for await (const event of result)
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') show(event.data.delta);
      if (result.error) throw result.error;
    },
    async useTools(target) {
      const withTool = agent.clone({ tools: [getTemperature] });
      return (await connect(target).run(withTool, question)).finalOutput ?? '';
    },
  };
}

export const agentsClients = [toClient(true), toClient(false)];
