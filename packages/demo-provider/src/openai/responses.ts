import { z } from 'zod';
import { contentField, countAttachments, countField, textOf } from '../content.ts';
import { converse, type Endpoint } from '../endpoint.ts';
import { countCached } from '../model/answer-asked.ts';
import { type Asked, plainAsked } from '../model/asked.ts';
import { chooseReasoning } from '../model/reasoning.ts';
import { parseRequest } from '../parse-request.ts';
import { writeResponse, writeResponseFrames } from '../wire/index.ts';
import { errorFrame } from './errors.ts';
import { readTools, toolFields } from './read-tools.ts';

const item = z.looseObject({
  type: z.string().optional(),
  content: contentField.nullish(),
  /** Of a tool's result. */
  output: z.unknown().optional(),
});
const fields = z.looseObject({
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

function readFormat({ text }: z.infer<typeof fields>): Asked['format'] {
  const format = text?.format;
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? { schema: format.schema } : null;
}

function readResponse(asked: z.infer<typeof fields>): Asked {
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
    format: readFormat(asked),
    reasoning: chooseReasoning(model, asked.reasoning?.effort),
    cached: { ...plainAsked.cached, read: countCached(texts) },
  };
}

/** `POST /v1/responses`. */
export const answerResponse: Endpoint = (request) => {
  const asked = parseRequest(fields, request.body);
  return converse(request, readResponse(asked), (answer) =>
    asked.stream ? { frames: writeResponseFrames(answer), errorFrame } : { json: writeResponse(answer) },
  );
};
