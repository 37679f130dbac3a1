import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '@agp/testing';
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { AnthropicBedrock, AnthropicBedrockMantle } from '@anthropic-ai/bedrock-sdk';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { ChatBedrockConverse } from '@langchain/aws';
import type { UsageMetadata } from '@langchain/core/messages';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Agent, BedrockModel, FunctionTool } from '@strands-agents/sdk';
import { generateText, streamText, tool } from 'ai';
import { BedrockOpenAI } from 'openai/bedrock';
import { temperatureTool } from '../sdks/conversation.ts';

/** What was said, and the figures that the client shows. */
interface Said {
  text: string;
  input: number | undefined;
  output: number | undefined;
}

/** What an agent does with one client of Bedrock, at a base URL of the proxy. */
export interface BedrockClient {
  name: string;
  model: string;
  ask(baseUrl: string): Promise<Said>;
  stream(baseUrl: string, show: (text: string) => void, prompt?: string): Promise<void>;
  /** The tool that the model called. */
  useTool(baseUrl: string): Promise<string | undefined>;
}

const question = 'Is it warm enough in Oslo for the warehouse?';
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const gpt = 'openai.gpt-oss-120b-1:0';
const token = 'bedrock-api-key-test';
const { name: toolName, description, parameters } = temperatureTool;
const input = { ...parameters, required: [...parameters.required] };

const ask = (text: string): { modelId: string; messages: Message[]; inferenceConfig: { maxTokens: number } } => ({
  modelId: claude,
  messages: [{ role: 'user', content: [{ text }] }],
  inferenceConfig: { maxTokens: 500 },
});

const toProxy = (endpoint: string) => ({
  endpoint,
  region: 'eu-central-1',
  token: { token },
  // Its usual one speaks HTTP/2 alone.
  requestHandler: new NodeHttpHandler(),
  authSchemePreference: ['httpBearerAuth'],
});

const connectAws = (endpoint: string) => new BedrockRuntimeClient(toProxy(endpoint));

const aws: BedrockClient = {
  name: 'aws sdk',
  model: claude,
  async ask(baseUrl) {
    const { output, usage } = await connectAws(baseUrl).send(new ConverseCommand(ask(question)));
    const text = output?.message?.content?.map((block) => block.text ?? '').join('') ?? '';
    return { text, input: usage?.inputTokens, output: usage?.outputTokens };
  },
  async stream(baseUrl, show, prompt = question) {
    const { stream = [] } = await connectAws(baseUrl).send(new ConverseStreamCommand(ask(prompt)));
    for await (const { contentBlockDelta } of stream)
      if (contentBlockDelta?.delta?.text) show(contentBlockDelta.delta.text);
  },
  async useTool(baseUrl) {
    const toolConfig = { tools: [{ toolSpec: { name: toolName, description, inputSchema: { json: input } } }] };
    const { output } = await connectAws(baseUrl).send(new ConverseCommand({ ...ask(question), toolConfig }));
    return output?.message?.content?.find(({ toolUse }) => toolUse)?.toolUse?.name;
  },
};

function toAnthropic(
  name: string,
  model: string,
  connect: (baseUrl: string) => Pick<AnthropicBedrock, 'messages'>,
): BedrockClient {
  const request = { model, max_tokens: 500, messages: [{ role: 'user' as const, content: question }] };
  return {
    name,
    model,
    async ask(baseUrl) {
      const { content, usage } = await connect(baseUrl).messages.create(request);
      const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('');
      return { text, input: usage.input_tokens, output: usage.output_tokens };
    },
    async stream(baseUrl, show, prompt = question) {
      const messages = [{ role: 'user' as const, content: prompt }];
      for await (const event of await connect(baseUrl).messages.create({ ...request, messages, stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') show(event.delta.text);
    },
    async useTool(baseUrl) {
      const tools = [{ name: toolName, description, input_schema: input }];
      const { content } = await connect(baseUrl).messages.create({ ...request, tools });
      return content.find((each) => each.type === 'tool_use')?.name;
    },
  };
}

const openai: BedrockClient = {
  name: 'BedrockOpenAI',
  model: gpt,
  async ask(baseUrl) {
    const { choices, usage } = await connectOpenai(baseUrl).chat.completions.create(chat);
    const { message } = choices[0] ?? {};
    return { text: message?.content ?? '', input: usage?.prompt_tokens, output: usage?.completion_tokens };
  },
  async stream(baseUrl, show) {
    for await (const { choices } of await connectOpenai(baseUrl).chat.completions.create({ ...chat, stream: true }))
      if (choices[0]?.delta.content) show(choices[0].delta.content);
  },
  async useTool(baseUrl) {
    const tools = [{ type: 'function' as const, function: { name: toolName, description, parameters: input } }];
    const { choices } = await connectOpenai(baseUrl).chat.completions.create({ ...chat, tools });
    const [call] = choices[0]?.message.tool_calls ?? [];
    return call?.type === 'function' ? call.function.name : undefined;
  },
};

const chat = { model: gpt, messages: [{ role: 'user' as const, content: question }] };
const connectOpenai = (baseUrl: string) => new BedrockOpenAI({ baseURL: `${baseUrl}/openai/v1`, apiKey: token });

const connectVercel = (baseURL: string) =>
  createAmazonBedrock({ baseURL, apiKey: token, region: 'eu-central-1' })(claude);

const vercel: BedrockClient = {
  name: 'vercel',
  model: claude,
  async ask(baseUrl) {
    const { text, usage } = await generateText({ model: connectVercel(baseUrl), prompt: question });
    return { text, input: usage.inputTokens, output: usage.outputTokens };
  },
  async stream(baseUrl, show, prompt = question) {
    let failure: unknown;
    const { textStream } = streamText({
      model: connectVercel(baseUrl),
      prompt,
      onError: ({ error }) => {
        failure = error;
      },
    });
    for await (const text of textStream) show(text);
    if (failure) throw failure;
  },
  async useTool(baseUrl) {
    const execute = async () => '12';
    const tools = { [toolName]: tool({ description, inputSchema: temperatureTool.input, execute }) };
    const { toolCalls } = await generateText({ model: connectVercel(baseUrl), prompt: question, tools });
    return toolCalls[0]?.toolName;
  },
};

const connectLangchain = (baseUrl: string) =>
  new ChatBedrockConverse({ model: claude, region: 'eu-central-1', client: connectAws(baseUrl), streamUsage: true });

const langchain: BedrockClient = {
  name: 'langchain',
  model: claude,
  async ask(baseUrl) {
    const answer = await connectLangchain(baseUrl).invoke(question);
    const usage = answer.usage_metadata as UsageMetadata | undefined;
    const { text } = answer;
    return { text, input: usage?.input_tokens, output: usage?.output_tokens };
  },
  async stream(baseUrl, show, prompt = question) {
    for await (const { text } of await connectLangchain(baseUrl).stream(prompt)) if (text) show(text);
  },
  async useTool(baseUrl) {
    const tools = [{ type: 'function' as const, function: { name: toolName, description, parameters: input } }];
    const { tool_calls: calls } = await connectLangchain(baseUrl).bindTools(tools).invoke(question);
    return calls?.[0]?.name;
  },
};

const connectStrands = (baseUrl: string, tools: FunctionTool[] = []) =>
  new Agent({
    model: new BedrockModel({ modelId: claude, clientConfig: toProxy(baseUrl) }),
    tools,
    printer: false,
  });

const strands: BedrockClient = {
  name: 'strands',
  model: claude,
  async ask(baseUrl) {
    const { lastMessage, metrics } = await connectStrands(baseUrl).invoke(question);
    const text = lastMessage.content.map((block) => (block.type === 'textBlock' ? block.text : '')).join('');
    const { inputTokens, outputTokens } = metrics?.accumulatedUsage ?? {};
    return { text, input: inputTokens, output: outputTokens };
  },
  async stream(baseUrl, show, prompt = question) {
    for await (const event of connectStrands(baseUrl).stream(prompt))
      if (
        event.type === 'modelStreamUpdateEvent' &&
        event.event.type === 'modelContentBlockDeltaEvent' &&
        event.event.delta.type === 'textDelta'
      )
        show(event.event.delta.text);
  },
  async useTool(baseUrl) {
    let called: string | undefined;
    const callback = async () => {
      called = toolName;
      return '12';
    };
    const temperature = new FunctionTool({ name: toolName, description, inputSchema: input, callback });
    await connectStrands(baseUrl, [temperature]).invoke(question);
    return called;
  },
};

const python = 'python3';
const script = fileURLToPath(new URL('ask-boto3.py', import.meta.url));
const hasBoto3 = spawnSync(python, ['-c', 'import boto3']).status === 0;

/** @returns what it printed, each line a JSON value @throws Error of all that it wrote of its exception */
async function runBoto3(given: unknown[], show = (_: unknown) => {}): Promise<unknown[]> {
  const child = spawn(python, [script, JSON.stringify(given)], {
    env: { ...childEnvironment(), AWS_BEARER_TOKEN_BEDROCK: token, AWS_EC2_METADATA_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: unknown[] = [];
  createInterface(child.stdout).on('line', (line) => show(said[said.push(JSON.parse(line)) - 1]));
  const [failure, [code]] = await Promise.all([readText(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(failure);
  return said;
}

const boto3: BedrockClient = {
  name: 'boto3',
  model: claude,
  async ask(baseUrl) {
    const [text, usage] = await runBoto3(['hurry', baseUrl, claude, question, null]);
    const { inputTokens, outputTokens } = usage as { inputTokens: number; outputTokens: number };
    return { text: String(text), input: inputTokens, output: outputTokens };
  },
  async stream(baseUrl, show, prompt = question) {
    await runBoto3(['stream', baseUrl, claude, prompt, null], (text) => show(String(text)));
  },
  async useTool(baseUrl) {
    const schema = { name: toolName, description, inputSchema: { json: input } };
    const said = await runBoto3(['hurry', baseUrl, claude, question, schema]);
    return said.map(String).find((each) => each === toolName);
  },
};

export const bedrockClients: readonly BedrockClient[] = [
  aws,
  toAnthropic('AnthropicBedrock', claude, (baseURL) => new AnthropicBedrock({ baseURL, apiKey: token })),
  toAnthropic(
    'AnthropicBedrockMantle',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    (baseUrl) => new AnthropicBedrockMantle({ baseURL: `${baseUrl}/anthropic`, apiKey: token }) as never,
  ),
  openai,
  vercel,
  langchain,
  strands,
  ...(hasBoto3 ? [boto3] : []),
];
