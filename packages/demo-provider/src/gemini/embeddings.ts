import { z } from 'zod';
import { textOf } from '../content.ts';
import type { Endpoint } from '../endpoint.ts';
import { countTokens } from '../model/count-tokens.ts';
import { embedText } from '../model/embed-text.ts';
import { parseRequest } from '../parse-request.ts';

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

/** `POST /v1beta/models/{model}:embedContent`. */
export const answerEmbedding: Endpoint = ({ body }) => {
  const asked = parseRequest(one, body);
  return { json: { embedding: embed(asked), usageMetadata: toUsage([asked]) } };
};

/** `POST /v1beta/models/{model}:batchEmbedContents`. */
export const answerEmbeddings: Endpoint = ({ body }) => {
  const { requests } = parseRequest(many, body);
  return { json: { embeddings: requests.map(embed), usageMetadata: toUsage(requests) } };
};
