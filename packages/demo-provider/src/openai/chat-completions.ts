import { z } from 'zod';
import { contentField, countAttachments, countField, messageField, textOf } from '../content.ts';
import { converse, type Endpoint } from '../endpoint.ts';
import { countCached } from '../model/answer-asked.ts';
import { type Asked, plainAsked } from '../model/asked.ts';
import { chooseReasoning } from '../model/reasoning.ts';
import { parseRequest } from '../parse-request.ts';
import * as wire from '../wire/index.ts';
import { errorFrame } from './errors.ts';
import { readTools, toolFields } from './read-tools.ts';

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

function readFormat(format: z.infer<typeof chat>['response_format']): Asked['format'] {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.json_schema.schema } : null;
}

function readChat(asked: z.infer<typeof chat>): Asked {
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

/** `POST /v1/chat/completions`. */
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
