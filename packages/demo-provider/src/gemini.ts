import { z } from 'zod';
import { countCached, countInputTokens, type ModelRequest, plainAsked } from './answer-asked.ts';
import { converse, type DemoRequest, type Endpoint } from './endpoint.ts';
import { countAttachments, countField, ProviderFault, parseRequest, textOf } from './request.ts';
import { countTokens, embedText } from './tokens.ts';
import { writeContent, writeContentFrames, writeContentPieces } from './wire/index.ts';
import { dataFrame } from './wire/wire-answer.ts';

const statuses: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  504: 'DEADLINE_EXCEEDED',
};

/** Gemini's body of an error. */
export function toErrorBody({ status, message }: Pick<ProviderFault, 'status' | 'message'>) {
  const name = statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  return { error: { code: status, message, status: name } };
}

/** How a stream says that it goes no further. */
export const errorFrame = dataFrame(toErrorBody({ status: 503, message: 'The stream breaks off, as was asked.' }));

const content = z.looseObject({
  role: z.string().optional(),
  parts: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});
const tool = z.looseObject({
  functionDeclarations: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        parameters: z.unknown().optional(),
        parametersJsonSchema: z.unknown().optional(),
      }),
    )
    .optional(),
});
const fields = z.looseObject({
  contents: z.array(content).min(1),
  systemInstruction: content.nullish(),
  tools: z.array(tool).nullish(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({ mode: z.string().optional(), allowedFunctionNames: z.array(z.string()).optional() })
        .optional(),
    })
    .nullish(),
  generationConfig: z
    .looseObject({
      maxOutputTokens: countField.optional(),
      responseMimeType: z.string().optional(),
      responseSchema: z.unknown().optional(),
      responseJsonSchema: z.unknown().optional(),
      thinkingConfig: z.looseObject({ thinkingBudget: z.number().int().optional() }).optional(),
    })
    .nullish(),
});

type Fields = z.infer<typeof fields>;

function readTools({ tools, toolConfig }: Fields): Pick<ModelRequest, 'tools' | 'toolChoice'> {
  const { mode = 'AUTO', allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {};
  const all = (tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  const toolChoice = ({ ANY: 'required', NONE: 'none' } as const)[mode.toUpperCase()] ?? 'auto';
  return {
    tools: all
      .filter(({ name }) => toolChoice !== 'required' || allowed === undefined || allowed.includes(name))
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parametersJsonSchema ?? parameters ?? { type: 'object' },
      })),
    toolChoice,
  };
}

function readFormat({ generationConfig: config }: Fields): ModelRequest['format'] {
  const schema = config?.responseJsonSchema ?? config?.responseSchema;
  if (schema !== undefined) return { schema };
  return config?.responseMimeType === 'application/json' ? 'json' : null;
}

function readContent(model: string, asked: Fields): ModelRequest {
  const { contents, systemInstruction, generationConfig: config } = asked;
  const turns = [...(systemInstruction ? [systemInstruction] : []), ...contents];
  const texts = turns.map(({ parts }) => textOf(parts));
  const budget = config?.thinkingConfig?.thinkingBudget ?? -1;
  return {
    ...plainAsked,
    ...readTools(asked),
    model,
    texts,
    attachments: turns.reduce((sum, { parts }) => sum + countAttachments(parts), 0),
    maxTokens: config?.maxOutputTokens,
    hasToolResult: contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined) ?? false,
    format: readFormat(asked),
    // -1 leaves it to the model.
    reasoning: /^gemini-(?:2\.5|[3-9])/.test(model) ? Math.min(128, budget < 0 ? 64 : budget) : 0,
    cached: { ...plainAsked.cached, read: countCached(texts) },
  };
}

function readAsked({ params: [model = ''], body }: DemoRequest): ModelRequest {
  // Text in place of an image or of speech would be no answer.
  if (/-(?:image|tts|audio)\b/.test(model))
    throw new ProviderFault('not_found', 'The demo has no Gemini models for images and speech.', 'model');
  return readContent(model, parseRequest(fields, body));
}

export const answerContent: Endpoint = (request) =>
  converse(request, readAsked(request), (answer) => ({ json: writeContent(answer) }));

/** `POST /v1beta/models/{model}:streamGenerateContent`: with `alt=sse` events, else one JSON list in pieces. */
export const answerContentStream: Endpoint = (request) =>
  converse(request, readAsked(request), (answer) =>
    request.query.get('alt') === 'sse'
      ? { frames: writeContentFrames(answer), errorFrame }
      : {
          frames: writeContentPieces(answer),
          type: 'application/json; charset=UTF-8',
          errorFrame: `,\r\n${errorFrame.slice('data: '.length).trimEnd()}]`,
        },
  );

const counted = z.union([z.looseObject({ generateContentRequest: fields }), fields]);

export const answerCount: Endpoint = ({ params: [model = ''], body }) => {
  const asked = parseRequest(counted, body);
  const request = 'generateContentRequest' in asked ? (asked.generateContentRequest as Fields) : (asked as Fields);
  const totalTokens = countInputTokens(readContent(model, request));
  return { json: { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] } };
};

const one = z.looseObject({
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })).min(1) }),
  outputDimensionality: z.number().int().min(1).max(3_072).nullish(),
});
const many = z.looseObject({ requests: z.array(one).min(1).max(1_000) });

const embed = ({ content, outputDimensionality }: z.infer<typeof one>) => ({
  values: embedText(textOf(content.parts), outputDimensionality ?? 768),
});

const toUsage = (requests: readonly z.infer<typeof one>[]) => ({
  promptTokenCount: requests.reduce((sum, { content }) => sum + countTokens(textOf(content.parts)), 0),
});

export const answerEmbedding: Endpoint = ({ body }) => {
  const asked = parseRequest(one, body);
  return { json: { embedding: embed(asked), usageMetadata: toUsage([asked]) } };
};

export const answerEmbeddings: Endpoint = ({ body }) => {
  const { requests } = parseRequest(many, body);
  return { json: { embeddings: requests.map(embed), usageMetadata: toUsage(requests) } };
};
