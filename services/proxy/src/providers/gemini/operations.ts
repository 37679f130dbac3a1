import { readCount } from '@agp/core/pricing';
import { collectText } from '../collect-text.ts';
import { asArray, asObject, asText } from '../json-shapes.ts';
import type { MatchPath } from '../match-operation.ts';
import type { Operation } from '../operation.ts';
import { readWriting } from '../stream-text.ts';
import { ContentStreamReader } from './content-stream-reader.ts';
import { readContent } from './output-text.ts';
import { readContentUsage } from './usage.ts';

const names = ['generateContent', 'streamGenerateContent', 'embedContent', 'batchEmbedContents'] as const;

/** `.../models/{model}:{operation}`; the model may also be a tuned one. */
const target = /\/(?:models|tunedModels)\/([^/:]+):([A-Za-z]+)$/;

function parsePath(path: string): { model: string; name: string } | null {
  // Only the colon is ever written in another way by clients.
  const found = target.exec(path.replace(/%3a/gi, ':'));
  return found?.[1] && found[2] ? { model: found[1], name: found[2] } : null;
}

function describe(name: (typeof names)[number]): Operation {
  return {
    api: 'gemini',
    name,
    usageNeedsAsking: false,
    answerFormat: name === 'streamGenerateContent' ? 'array' : 'object',
    isFree: false,
    createStreamReader: () => new ContentStreamReader(),
    readRequest(value, path) {
      const body = asObject(value);
      const config = asObject(body.generationConfig ?? body.generation_config);
      return {
        requestedModel: parsePath(path)?.model ?? null,
        stream: name === 'streamGenerateContent',
        maxOutputTokens: readCount(config.maxOutputTokens ?? config.max_output_tokens),
        toldUsage: {},
        inputText: () =>
          collectText(
            body.systemInstruction ?? body.system_instruction,
            body.contents,
            body.tools,
            body.content,
            asArray(body.requests).map((request) => asObject(request).content),
          ),
      };
    },
    readAnswer(body) {
      const answer = asObject(body);
      return {
        model: asText(answer.modelVersion),
        usage: readContentUsage(answer.usageMetadata),
        serviceTier: null,
        outputText: () => readWriting(body, readContent),
      };
    },
  };
}

const byName = new Map<string, Operation>(names.map((name) => [name, describe(name)]));

export const geminiOperations: MatchPath = (path, method) =>
  method === 'POST' ? (byName.get(parsePath(path)?.name ?? '') ?? null) : null;
