import { z } from 'zod';
import { countInputTokens, type ModelRequest, plainAsked } from './answer-asked.ts';
import { converse, type Endpoint } from './endpoint.ts';
import {
  type Content,
  contentField,
  countAttachments,
  countField,
  messageField,
  type ProviderFault,
  parseRequest,
  textOf,
} from './request.ts';
import { countConversationTokens } from './tokens.ts';
import { writeMessage, writeMessageFrames } from './wire/index.ts';
import { eventFrame } from './wire/wire-answer.ts';

const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's body of an error. */
export function toErrorBody({ status, message }: ProviderFault, requestId: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** How a stream says that it goes no further. */
export const errorFrame = eventFrame({
  type: 'error',
  error: { type: 'overloaded_error', message: 'The stream breaks off, as was asked.' },
});

const countable = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageField).min(1),
  system: contentField.nullish(),
  /** Tools that the provider runs have no schema, and are never called. */
  tools: z.array(z.looseObject({ name: z.string().min(1), input_schema: z.unknown().optional() })).nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .nullish(),
  output_config: z
    .looseObject({ format: z.looseObject({ type: z.literal('json_schema'), schema: z.unknown() }).nullish() })
    .nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: countField.optional() }).nullish(),
});
const message = countable.extend({ max_tokens: countField, stream: z.boolean().nullish() });

function readToolChoice(choice: z.infer<typeof countable>['tool_choice']): ModelRequest['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name ?? '' };
  return choice?.type === 'any' ? 'required' : ((choice?.type as 'auto' | 'none' | undefined) ?? 'auto');
}

const mark = z.looseObject({ cache_control: z.looseObject({ ttl: z.string().optional() }) });

/** How long a content is to be kept by the cache; null if it has no mark. */
function findCacheTtl(content: Content): string | null {
  const marks = Array.isArray(content) ? content.map((part) => mark.safeParse(part)) : [];
  return (
    marks.findLast(({ success }) => success)?.data?.cache_control.ttl ??
    (marks.some(({ success }) => success) ? '5m' : null)
  );
}

function readCache(contents: readonly Content[]): ModelRequest['cached'] {
  const lastMark = contents.slice(0, -1).findLastIndex((content) => findCacheTtl(content) !== null);
  const count = (from: number, to: number) => countConversationTokens(contents.slice(from, to).map(textOf));
  const ttl = findCacheTtl(contents.at(-1));
  const written = ttl === null ? 0 : count(lastMark + 1, contents.length);
  return {
    read: count(0, lastMark + 1),
    write5m: ttl === '1h' ? 0 : written,
    write1h: ttl === '1h' ? written : 0,
  };
}

function readMessage(asked: z.infer<typeof countable>, maxTokens?: number): ModelRequest {
  const { model, system, messages, tool_choice: choice } = asked;
  const contents = [...(system ? [system] : []), ...messages.map(({ content }) => content)];
  const texts = contents.map(textOf);
  const last = messages.at(-1)?.content;
  const thinks = asked.thinking?.type === 'enabled' || asked.thinking?.type === 'adaptive';
  return {
    ...plainAsked,
    model,
    texts,
    attachments: contents.reduce<number>((sum, content) => sum + countAttachments(content), 0),
    maxTokens,
    tools: (asked.tools ?? []).flatMap(({ name, input_schema: schema }) =>
      schema === undefined ? [] : [{ name, schema }],
    ),
    toolChoice: readToolChoice(choice),
    parallel: choice?.disable_parallel_tool_use !== true,
    hasToolResult: Array.isArray(last) && last.some(({ type }) => type === 'tool_result'),
    format: asked.output_config?.format ? { schema: asked.output_config.format.schema } : null,
    reasoning: thinks ? Math.min(128, asked.thinking?.budget_tokens ?? 128) : 0,
    cached: readCache(contents),
  };
}

export const answerMessage: Endpoint = (request) => {
  const asked = parseRequest(message, request.body);
  return converse(request, readMessage(asked, asked.max_tokens), (answer) =>
    asked.stream ? { frames: writeMessageFrames(answer), errorFrame } : { json: writeMessage(answer) },
  );
};

/** A body as it is sent to a cloud: the model stands elsewhere. */
export function readInvoked(model: string, body: unknown): { read: ModelRequest; maxTokens: number } {
  const asked = parseRequest(message.omit({ model: true, stream: true }), body);
  return { read: readMessage({ ...asked, model }), maxTokens: asked.max_tokens };
}

export const answerTokenCount: Endpoint = ({ body }) => ({
  json: { input_tokens: countInputTokens(readMessage(parseRequest(countable, body))) },
});
