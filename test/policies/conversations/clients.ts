import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type Anthropic from '@anthropic-ai/sdk';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import {
  Agent,
  tool as agentsTool,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
} from '@openai/agents';
import { isStepCount, type LanguageModel, type ModelMessage, streamText, tool as vercelTool } from 'ai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { z } from 'zod';
import type { Target } from '../../wire/sdks/call.ts';
import { connectAnthropic, connectOpenai } from '../../wire/sdks/connect.ts';
import { models } from '../../wire/sdks/conversation.ts';

/** Asks one thing in a conversation, runs the tools that the model calls, and gives what it says in the end. */
type Ask = (text: string) => Promise<string>;

export interface Client {
  name: string;
  provider: 'openai' | 'anthropic';
  /** How often it asks the provider in a turn: twice if not given. */
  requests?: number;
  open(target: Target, sendMail: (to: string) => string): Ask;
}

const system = 'You write mails. Questions go to admin@example.com.';
const name = 'send_mail';
const description = 'Sends a mail; its copy goes to copy@example.com.';
const input = z.object({ to: z.string() });
const parameters = {
  ...{ type: 'object' as const, properties: { to: { type: 'string' } }, required: ['to'], additionalProperties: false },
};
const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };

/** As Claude Code does it: it streams, names its session, and moves a mark of the cache from turn to turn. */
const anthropicSdk: Client['open'] = (target, sendMail) => {
  const headers = { ...target.headers, 'x-claude-code-session-id': crypto.randomUUID() };
  const anthropic = connectAnthropic({ ...target, headers });
  const messages: Anthropic.MessageParam[] = [];
  const cached = { type: 'ephemeral' as const };
  const markLast = (): Anthropic.MessageParam[] =>
    messages.map((message, at) => {
      const isLast = at === messages.length - 1 && Array.isArray(message.content);
      const blocks = message.content as Anthropic.ContentBlockParam[];
      const content = blocks.map((block, of) =>
        of === blocks.length - 1 ? { ...block, cache_control: cached } : block,
      );
      return isLast ? ({ ...message, content } as Anthropic.MessageParam) : message;
    });
  return async (text) => {
    messages.push({ role: 'user', content: [{ type: 'text', text }] });
    for (;;) {
      const tools = [{ name, description, input_schema: parameters }];
      const asked = { model: models.anthropic, max_tokens: 4_096, thinking, tools, messages: markLast() };
      const stream = anthropic.messages.stream({
        ...asked,
        system: [{ type: 'text', text: system, cache_control: cached }],
      });
      const { content } = await stream.finalMessage();
      messages.push({ role: 'assistant', content });
      const results = content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: sendMail(input.parse(block.input).to) }]
          : [],
      );
      if (results.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      messages.push({ role: 'user', content: results });
    }
  };
};

/** As Codex does it: it streams, names its session, and has nothing stored. */
const openaiSdk: Client['open'] = (target, sendMail) => {
  const openai = connectOpenai({ ...target, headers: { ...target.headers, 'session-id': crypto.randomUUID() } });
  const items: ResponseInput = [];
  return async (text) => {
    items.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
    for (;;) {
      const tools = [{ type: 'function' as const, name, description, parameters, strict: true }];
      const asked = { model: models.openai, instructions: system, input: items, tools, store: false };
      const { output, output_text } = await openai.responses
        .stream({ ...asked, parallel_tool_calls: true, include: ['reasoning.encrypted_content'] })
        .finalResponse();
      items.push(...(output as ResponseInput));
      const calls = output.filter((item) => item.type === 'function_call');
      if (calls.length === 0) return output_text;
      for (const { call_id, arguments: given } of calls)
        items.push({ type: 'function_call_output', call_id, output: sendMail(input.parse(JSON.parse(given)).to) });
    }
  };
};

const vercel =
  (connect: (target: Target) => LanguageModel): Client['open'] =>
  (target, sendMail) => {
    const model = connect(target);
    const messages: ModelMessage[] = [];
    const tools = { [name]: vercelTool({ description, inputSchema: input, execute: ({ to }) => sendMail(to) }) };
    const providerOptions = { anthropic: { thinking: { type: 'enabled' as const, budgetTokens: 1_024 } } };
    return async (text) => {
      messages.push({ role: 'user', content: text });
      let failure: unknown;
      const running = streamText({
        ...{ model, instructions: system, messages, tools, providerOptions, maxRetries: 2, stopWhen: isStepCount(4) },
        onError({ error }) {
          failure = error;
        },
      });
      await running.consumeStream();
      if (failure !== undefined) throw failure;
      const steps = await running.steps;
      messages.push(...steps.flatMap((step) => step.response.messages));
      return running.text;
    };
  };

const langchain =
  (connect: (target: Target) => BaseChatModel): Client['open'] =>
  (target, sendMail) => {
    const mail = langchainTool(({ to }) => sendMail(to), { name, description, schema: input });
    const model = connect(target);
    const bound = model.bindTools?.([mail]) ?? model;
    const messages: BaseMessage[] = [new SystemMessage(system)];
    return async (text) => {
      messages.push(new HumanMessage(text));
      for (;;) {
        const message = await bound.invoke(messages);
        messages.push(message);
        const calls = (message as AIMessageChunk).tool_calls ?? [];
        if (calls.length === 0) return message.text;
        for (const call of calls) messages.push(await mail.invoke({ ...call, type: 'tool_call' }));
      }
    };
  };

const agents =
  (Model: typeof OpenAIResponsesModel | typeof OpenAIChatCompletionsModel): Client['open'] =>
  (target, sendMail) => {
    setTracingDisabled(true);
    const mail = agentsTool({ name, description, parameters: input, execute: ({ to }) => sendMail(to) });
    const model = new Model(connectOpenai(target) as never, models.openai);
    const agent = new Agent({ name: 'mailer', instructions: system, model, tools: [mail] });
    let history: Parameters<typeof run>[1] = [];
    return async (text) => {
      const result = await run(agent, [...(history as []), { role: 'user', content: text }] as never);
      history = result.history as never;
      return `${result.finalOutput}`;
    };
  };

const keyed = ({ baseUrl, headers }: Target) => ({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-test', headers });
const ofOpenai = (useResponsesApi: boolean) => (target: Target) =>
  new ChatOpenAI({
    ...{ model: models.openai, apiKey: 'sk-test', maxRetries: 2, useResponsesApi },
    configuration: { baseURL: `${target.baseUrl}/v1`, defaultHeaders: target.headers },
  });
const ofAnthropic = ({ baseUrl, headers }: Target) =>
  new ChatAnthropic({
    ...{ model: models.anthropic, apiKey: 'sk-ant-test', maxRetries: 2, maxTokens: 4_096, thinking },
    ...{ anthropicApiUrl: baseUrl, clientOptions: { defaultHeaders: headers } },
  });

export const clients: Client[] = [
  { name: "Anthropic's SDK", provider: 'anthropic', open: anthropicSdk },
  { name: "OpenAI's SDK", provider: 'openai', open: openaiSdk },
  {
    name: 'vercel anthropic',
    provider: 'anthropic',
    open: vercel((target) => createAnthropic(keyed(target))(models.anthropic)),
  },
  {
    name: 'vercel openai chat',
    provider: 'openai',
    open: vercel((target) => createOpenAI(keyed(target)).chat(models.openai)),
  },
  { name: 'langchain anthropic', provider: 'anthropic', open: langchain(ofAnthropic) },
  { name: 'langchain openai chat', provider: 'openai', open: langchain(ofOpenai(false)) },
  { name: 'langchain openai responses', provider: 'openai', open: langchain(ofOpenai(true)) },
  { name: "OpenAI's agents, responses", provider: 'openai', open: agents(OpenAIResponsesModel) },
  { name: "OpenAI's agents, chat", provider: 'openai', open: agents(OpenAIChatCompletionsModel) },
];
