import { parseJson } from '@agp/core/json';
import { z } from 'zod';
import { countInputTokens, type ModelRequest, plainAsked } from './answer-asked.ts';
import * as anthropic from './anthropic.ts';
import { converse, type DemoAnswer, type Endpoint } from './endpoint.ts';
import { countField, ProviderFault, parseRequest } from './request.ts';
import {
  awsFrame,
  type WireAnswer,
  writeConverse,
  writeConverseFrames,
  writeInvoked,
  writeInvokedFrames,
} from './wire/index.ts';

const names: Record<number, string> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

/** By this header SDKs know an error, not by its body. */
export const toErrorHeaders = ({ status }: ProviderFault) => ({
  'x-amzn-errortype': `${names[status] ?? 'InternalServerException'}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
});

export const toErrorBody = ({ message }: ProviderFault) => ({ message });

const stream = {
  type: 'application/vnd.amazon.eventstream',
  errorFrame: awsFrame(
    'modelStreamErrorException',
    { message: 'The stream breaks off, as was asked.', originalStatusCode: 500 },
    'exception',
  ),
};

const block = z.looseObject({ text: z.string().optional(), toolResult: z.looseObject({}).optional() });
const asked = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.array(block) })).min(1),
  system: z.array(block).nullish(),
  inferenceConfig: z.looseObject({ maxTokens: countField.nullish() }).nullish(),
  guardrailConfig: z.looseObject({ guardrailIdentifier: z.string(), trace: z.string().nullish() }).nullish(),
  toolConfig: z
    .looseObject({
      tools: z.array(
        z.looseObject({ toolSpec: z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) }).optional() }),
      ),
      toolChoice: z
        .looseObject({ any: z.looseObject({}).optional(), tool: z.looseObject({ name: z.string() }).optional() })
        .nullish(),
    })
    .nullish(),
});

const attached = ['image', 'document', 'audio', 'video'];

function readConverse(model: string, body: z.infer<typeof asked>): ModelRequest {
  const contents = [...(body.system ? [body.system] : []), ...body.messages.map(({ content }) => content)];
  const { tools = [], toolChoice } = body.toolConfig ?? {};
  return {
    ...plainAsked,
    model,
    texts: contents.map((parts) => parts.flatMap(({ text }) => text ?? []).join(' ')),
    attachments: contents.flat().filter((part) => attached.some((name) => part[name] !== undefined)).length,
    maxTokens: body.inferenceConfig?.maxTokens ?? undefined,
    tools: tools.flatMap(({ toolSpec }) =>
      toolSpec ? [{ name: toolSpec.name, schema: toolSpec.inputSchema.json ?? {} }] : [],
    ),
    toolChoice: toolChoice?.tool ? { name: toolChoice.tool.name } : toolChoice?.any ? 'required' : 'auto',
    hasToolResult: body.messages.at(-1)?.content.some(({ toolResult }) => toolResult !== undefined) === true,
  };
}

function assess(text: string) {
  const units = Math.ceil(text.length / 1_000);
  const usage = { topicPolicyUnits: units, contentPolicyUnits: units, sensitiveInformationPolicyUnits: units };
  return { invocationMetrics: { guardrailProcessingLatency: 5, usage: { ...usage, wordPolicyUnits: units } } };
}

/** What a guardrail of four policies has judged, if it is asked to tell. */
function traceGuardrail(
  { guardrailConfig: config }: z.infer<typeof asked>,
  texts: readonly string[],
  { words }: WireAnswer,
): { trace?: object } {
  if (!config?.trace?.startsWith('enabled')) return {};
  const { guardrailIdentifier: id } = config;
  const [inputAssessment, outputAssessments] = [{ [id]: assess(texts.join('')) }, { [id]: [assess(words.join(''))] }];
  return { trace: { guardrail: { inputAssessment, outputAssessments } } };
}

const answerConverse =
  (write: (answer: WireAnswer, beside: object) => DemoAnswer): Endpoint =>
  (request) => {
    const [model = ''] = request.params;
    const body = parseRequest(asked, request.body);
    const read = readConverse(model, body);
    return converse(request, read, (answer) => write(answer, traceGuardrail(body, read.texts, answer)));
  };

export const answerWhole = answerConverse((...answer) => ({ json: writeConverse(...answer) }));

export const answerStream = answerConverse((...answer) => ({ ...stream, frames: writeConverseFrames(...answer) }));

/** Claude's own body, without the model, which the path has. */
const answerInvoke =
  (write: (answer: WireAnswer) => DemoAnswer): Endpoint =>
  (request) => {
    const [model = ''] = request.params;
    if (!model.includes('anthropic.'))
      throw new ProviderFault(
        'invalid_request',
        'the simulated provider answers Invoke of Claude alone: ask by Converse',
      );
    const { read, maxTokens } = anthropic.readInvoked(model, request.body);
    return converse(request, { ...read, maxTokens }, write);
  };

export const answerInvoked = answerInvoke((answer) => ({ json: writeInvoked(answer) }));

export const answerInvokedStream = answerInvoke((answer) => ({ ...stream, frames: writeInvokedFrames(answer) }));

const counted = z.looseObject({
  input: z.looseObject({
    converse: asked.optional(),
    invokeModel: z.looseObject({ body: z.base64() }).optional(),
  }),
});

export const answerTokenCount: Endpoint = ({ params: [model = ''], body }) => {
  const { input } = parseRequest(counted, body);
  const read = input.converse
    ? readConverse(model, input.converse)
    : anthropic.readInvoked(model, parseJson(Buffer.from(input.invokeModel?.body ?? 'e30=', 'base64'))).read;
  return { json: { inputTokens: countInputTokens(read) } };
};
