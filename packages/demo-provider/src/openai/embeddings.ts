import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { ProviderFault, parseRequest } from '../request.ts';
import { countTokens, embedText } from '../tokens.ts';

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
