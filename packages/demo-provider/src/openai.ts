import { z } from 'zod';
import { countCached, type ModelRequest, plainAsked, type Tool } from './answer-asked.ts';
import { converse, type Endpoint } from './endpoint.ts';
import {
  contentField,
  countAttachments,
  countField,
  messageField,
  ProviderFault,
  parseRequest,
  textOf,
} from './request.ts';
import { countTokens, embedText } from './tokens.ts';
import * as wire from './wire/index.ts';
import { writeResponse, writeResponseFrames } from './wire/index.ts';
import { dataFrame } from './wire/wire-answer.ts';

/** Reasoning tokens for each level of effort that callers can name. */
const byEffort: Record<string, number> = { none: 0, minimal: 0, low: 64, medium: 128, high: 256, xhigh: 512, max: 512 };

function chooseReasoning(model: string, effort: unknown): number {
  return /^(?:gpt-5|o\d)/.test(model) ? (byEffort[String(effort)] ?? 64) : 0;
}

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** OpenAI's body of an error. */
export function toErrorBody({ status, message, param }: ProviderFault) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code: status === 429 ? 'rate_limit_exceeded' : null } };
}

/** How a stream of chat completions or responses says that it goes no further. */
export const errorFrame = dataFrame({
  type: 'error',
  error: { message: 'The stream breaks off, as was asked.', type: 'server_error', param: null, code: 'server_error' },
});

const definition = z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() });
/** Chat completions have the definition within `function`, responses beside the type. */
const functionTool = z.union([z.looseObject({ type: z.literal('function'), function: definition }), definition]);
/** Tools that the provider runs, or that take free text, are accepted and never called. */
const otherTool = z.looseObject({ type: z.string().refine((type) => type !== 'function', 'must have a name') });
const choice = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  function: z.looseObject({ name: z.string() }).optional(),
  mode: z.enum(['auto', 'required']).optional(),
});

const toolFields = {
  tools: z.array(z.union([functionTool, otherTool])).nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), choice]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

type ToolFields = z.infer<z.ZodObject<typeof toolFields>>;

function toTool(tool: NonNullable<ToolFields['tools']>[number]): Tool[] {
  if (tool.type !== 'function') return [];
  const found = definition.safeParse('function' in tool ? tool.function : tool);
  return found.success ? [{ name: found.data.name, schema: found.data.parameters ?? { type: 'object' } }] : [];
}

/** The tools of OpenAI's two APIs, and which of them is to be called. */
export function readTools({ tools, tool_choice: chosen, parallel_tool_calls: parallel }: ToolFields) {
  const name = typeof chosen === 'object' ? (chosen?.function?.name ?? chosen?.name) : undefined;
  const plain = typeof chosen === 'string' ? chosen : ((chosen?.mode ?? 'auto') as 'auto' | 'required');
  return {
    tools: (tools ?? []).flatMap(toTool),
    toolChoice: name === undefined ? plain : { name },
    parallel: parallel ?? true,
  } satisfies Partial<ModelRequest>;
}

const streamFields = {
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: countField.nullish(),
};

const chat = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageField).min(1),
  ...streamFields,
  max_completion_tokens: countField.nullish(),
  ...toolFields,
  response_format: z
    .union([
      z.looseObject({ type: z.enum(['text', 'json_object']) }),
      z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.unknown() }) }),
    ])
    .nullish(),
  reasoning_effort: z.string().nullish(),
});

function readFormat(format: z.infer<typeof chat>['response_format']): ModelRequest['format'] {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.json_schema.schema } : null;
}

function readChat(asked: z.infer<typeof chat>): ModelRequest {
  const { model, messages } = asked;
  const texts = messages.map(({ content }) => textOf(content));
  return {
    ...plainAsked,
    ...readTools(asked),
    model,
    texts,
    attachments: messages.reduce((sum, { content }) => sum + countAttachments(content), 0),
    maxTokens: asked.max_completion_tokens ?? asked.max_tokens ?? undefined,
    hasToolResult: ['tool', 'function'].includes(messages.at(-1)?.role ?? ''),
    format: readFormat(asked.response_format),
    reasoning: chooseReasoning(model, asked.reasoning_effort),
    cached: { ...plainAsked.cached, read: countCached(texts) },
  };
}

const asksForUsage = (asked: z.infer<z.ZodObject<typeof streamFields>>) => asked.stream_options?.include_usage === true;

export const answerChatCompletion: Endpoint = (request) => {
  const asked = parseRequest(chat, request.body);
  return converse(request, readChat(asked), (answer) =>
    asked.stream
      ? { frames: wire.writeChatFrames(answer, asksForUsage(asked)), errorFrame }
      : { json: wire.writeChat(answer) },
  );
};

const completion = z.looseObject({ model: z.string().min(1), prompt: contentField, ...streamFields });

/** `POST /v1/completions`: of one text. */
export const answerCompletion: Endpoint = (request) => {
  const asked = parseRequest(completion, request.body);
  const question = textOf(asked.prompt);
  const maxTokens = asked.max_tokens ?? 16;
  const plain = { ...plainAsked, model: asked.model, texts: [question], question, maxTokens };
  return converse(request, plain, (answer) =>
    asked.stream
      ? { frames: wire.writeCompletionFrames(answer, asksForUsage(asked)), errorFrame }
      : { json: wire.writeCompletion(answer) },
  );
};

const item = z.looseObject({
  type: z.string().optional(),
  content: contentField.nullish(),
  /** A tool's result has it. */
  output: z.unknown().optional(),
});
const responseFields = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: countField.nullish(),
  ...toolFields,
  text: z
    .looseObject({
      format: z
        .union([
          z.looseObject({ type: z.enum(['text', 'json_object']) }),
          z.looseObject({ type: z.literal('json_schema'), schema: z.unknown() }),
        ])
        .nullish(),
    })
    .nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
});

function readResponseFormat({ text }: z.infer<typeof responseFields>): ModelRequest['format'] {
  const format = text?.format;
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.schema } : null;
}

function readResponse(asked: z.infer<typeof responseFields>): ModelRequest {
  const { model, instructions, input } = asked;
  const items = typeof input === 'string' ? [{ content: input }] : input;
  const last: z.infer<typeof item> | undefined = items.at(-1);
  const turns = items.map(({ content, output }: z.infer<typeof item>) =>
    typeof output === 'string' ? output : textOf(content),
  );
  const texts = instructions ? [instructions, ...turns] : turns;
  return {
    ...plainAsked,
    ...readTools(asked),
    model,
    texts,
    attachments: items.reduce((sum, { content }) => sum + countAttachments(content), 0),
    maxTokens: asked.max_output_tokens ?? undefined,
    hasToolResult: last?.type === 'function_call_output',
    format: readResponseFormat(asked),
    reasoning: chooseReasoning(model, asked.reasoning?.effort),
    cached: { ...plainAsked.cached, read: countCached(texts) },
  };
}

export const answerResponse: Endpoint = (request) => {
  const asked = parseRequest(responseFields, request.body);
  return converse(request, readResponse(asked), (answer) =>
    asked.stream ? { frames: writeResponseFrames(answer), errorFrame } : { json: writeResponse(answer) },
  );
};

/** Numbers in all vectors of an answer. */
const maxValues = 4_000_000;

const tokens = z.array(z.number().int());
const request = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1).max(2_048), tokens.min(1), z.array(tokens).min(1).max(2_048)]),
  dimensions: z.number().int().min(1).max(4_096).default(1_536),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

type Input = z.infer<typeof request>['input'];

function isTokens(input: Input): input is number[] {
  return typeof input !== 'string' && typeof input[0] === 'number';
}

/** The inputs one by one: a text, or the ids of tokens. */
function toInputs(input: Input): (string | number[])[] {
  return typeof input === 'string' || isTokens(input) ? [input] : input;
}

function toBase64(vector: number[]): string {
  const floats = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) floats.setFloat32(index * 4, value, true);
  return Buffer.from(floats.buffer).toString('base64');
}

export const answerEmbeddings: Endpoint = ({ body }) => {
  const { model, input, dimensions, encoding_format: format } = parseRequest(request, body);
  const inputs = toInputs(input);
  if (inputs.length * dimensions > maxValues)
    throw new ProviderFault('invalid_request', `The demo embeds at most ${maxValues} values at once.`, 'input');
  const total = inputs.reduce((sum, each) => sum + (typeof each === 'string' ? countTokens(each) : each.length), 0);
  const data = inputs.map((each, index) => {
    const vector = embedText(typeof each === 'string' ? each : each.join(' '), dimensions);
    return { object: 'embedding', index, embedding: format === 'base64' ? toBase64(vector) : vector };
  });
  return { json: { object: 'list', data, model, usage: { prompt_tokens: total, total_tokens: total } } };
};
