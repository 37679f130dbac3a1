import type { Usage } from '@agp/core/pricing';
import { readCount } from '@agp/core/pricing';
import { collectText } from '../collect-text.ts';
import { asObject, asText, type JsonObject } from '../json-shapes.ts';
import type { MatchPath } from '../match-operation.ts';
import type { Operation, StreamReader, Writing } from '../operation.ts';
import { readWriting } from '../stream-text.ts';
import { readChat, readCompletion, readResponseText } from './output-text.ts';
import { CompletionStreamReader, ResponseStreamReader } from './stream-readers.ts';
import { readCompletionUsage, readResponseUsage } from './usage.ts';

interface Description {
  name: string;
  usageNeedsAsking: boolean;
  /** Members of the request that bound the output, the one that counts first. */
  maxOutput: readonly string[];
  /** Members of the request that the model reads. */
  input: readonly string[];
  readUsage(usage: unknown): Usage | null;
  readText(body: unknown): Writing;
  createStreamReader(): StreamReader;
}

/** Azure names the model in the path, as a deployment. */
const deployment = /\/deployments\/([^/]+)\//;

function describe(operation: Description): Operation {
  const { name, usageNeedsAsking, createStreamReader } = operation;
  return {
    api: 'openai',
    name,
    usageNeedsAsking,
    answerFormat: 'object',
    isFree: false,
    createStreamReader,
    readRequest(value, path) {
      const body: JsonObject = asObject(value);
      return {
        requestedModel: asText(body.model) ?? deployment.exec(path)?.[1] ?? null,
        stream: body.stream === true,
        maxOutputTokens: operation.maxOutput.map((key) => readCount(body[key])).find((max) => max !== null) ?? null,
        toldUsage: {},
        inputText: () => collectText(...operation.input.map((key) => body[key])),
      };
    },
    readAnswer(body) {
      const answer = asObject(body);
      return {
        model: asText(answer.model),
        usage: operation.readUsage(answer.usage),
        serviceTier: asText(answer.service_tier),
        outputText: () => operation.readText(body),
      };
    },
  };
}

const chatCompletions = describe({
  name: 'chat.completions',
  usageNeedsAsking: true,
  maxOutput: ['max_completion_tokens', 'max_tokens'],
  input: ['messages', 'tools', 'functions', 'response_format'],
  readUsage: readCompletionUsage,
  readText: (body) => readWriting(body, readChat),
  createStreamReader: () => new CompletionStreamReader(readChat),
});

const completions = describe({
  name: 'completions',
  usageNeedsAsking: true,
  maxOutput: ['max_tokens'],
  input: ['prompt', 'suffix'],
  readUsage: readCompletionUsage,
  readText: (body) => readWriting(body, readCompletion),
  createStreamReader: () => new CompletionStreamReader(readCompletion),
});

const responses = describe({
  name: 'responses',
  usageNeedsAsking: false,
  maxOutput: ['max_output_tokens'],
  input: ['instructions', 'input', 'tools', 'text'],
  readUsage: readResponseUsage,
  readText: readResponseText,
  createStreamReader: () => new ResponseStreamReader(),
});

const embeddings = describe({
  name: 'embeddings',
  usageNeedsAsking: false,
  maxOutput: [],
  input: ['input'],
  readUsage: readCompletionUsage,
  readText: () => ({ parts: [], whole: true }),
  createStreamReader: () => new CompletionStreamReader(() => undefined),
});

const byEnding: readonly (readonly [string, Operation])[] = [
  ['/chat/completions', chatCompletions],
  ['/completions', completions],
  ['/responses', responses],
  ['/embeddings', embeddings],
];

/** Matched by the end of the path: compatible servers and Azure put all kinds of things before it. */
export const openaiOperations: MatchPath = (path, method) =>
  method === 'POST' ? (byEnding.find(([ending]) => path.endsWith(ending))?.[1] ?? null) : null;
