import { ProviderFault } from '../provider-fault.ts';
import type { Draws } from './draws.ts';
import { isObject, mergeSchemas, readTypes, resolveReference, type Schema } from './read-schema.ts';
import { sampleNumber, sampleText } from './sample-scalars.ts';

/** Objects and lists within each other. From here on only what is required is made. */
const optionalDepth = 6;
const maxDepth = 32;
/** Values in all. */
const maxValues = 5_000;

interface Sampling {
  root: Schema;
  draws: Draws;
  /** Words for texts without a format. */
  topics: readonly string[];
  left: number;
}

const isRoomy = ({ left }: Sampling, depth: number) => depth < optionalDepth && left > maxValues / 2;

const tooLarge = () =>
  new ProviderFault('invalid_request', `The schema asks for more than ${maxDepth} levels or ${maxValues} values.`);

/**
 * Makes a value that a JSON schema allows: of OpenAI's, Anthropic's or Gemini's kind. Optional members are made too, up to a depth.
 * Of what few schemas use, `not`, `if`, `patternProperties` and most patterns are not looked at.
 *
 * @throws ProviderFault if the schema is none, or no value within the bounds exists
 */
export function sampleSchema(schema: unknown, draws: Draws, topics: readonly string[]): unknown {
  const root = isObject(schema) ? schema : {};
  return sample(schema, { root, draws, topics, left: maxValues }, 0);
}

function sample(given: unknown, sampling: Sampling, depth: number): unknown {
  sampling.left -= 1;
  if (depth > maxDepth || sampling.left < 0) throw tooLarge();
  if (given === false) throw new ProviderFault('invalid_request', 'The schema allows no value.');
  const schema = mergeSchemas(resolveReference(given, sampling.root), sampling.root);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return sampling.draws.from(schema.enum);
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (choices) return sampleChoice(schema, choices as unknown[], sampling, depth);
  const [type] = readTypes(schema);
  if (type === 'null') return null;
  if (type === 'boolean') return sampling.draws.below(2) === 1;
  if (type === 'integer' || type === 'number') return sampleNumber(schema, type, sampling.draws);
  if (type === 'array') return sampleList(schema, sampling, depth);
  if (type === 'object') return sampleObject(schema, sampling, depth);
  return sampleText(schema, sampling.draws, sampling.topics);
}

/** The first choice that has a value: a recursive schema has one that ends, which is not always the first. */
function sampleChoice(schema: Schema, choices: unknown[], sampling: Sampling, depth: number): unknown {
  const { anyOf: _, oneOf: __, ...rest } = schema;
  // Deep down `null` and other ends come before what nests further.
  const isEnd = (choice: unknown) => isObject(choice) && !choice.$ref && !/object|array/.test(readTypes(choice).join());
  const ordered = isRoomy(sampling, depth) ? choices : [...choices].sort((a, b) => Number(isEnd(b)) - Number(isEnd(a)));
  let fault: unknown = tooLarge();
  for (const choice of ordered) {
    try {
      return sample({ allOf: [rest, choice] }, sampling, depth + 1);
    } catch (error) {
      fault = error;
      if (sampling.left < 0) break;
    }
  }
  throw fault;
}

function readCount(value: unknown, least: number): number {
  // Gemini writes counts as texts.
  const count = value === undefined ? least : Number(value);
  if (!Number.isInteger(count) || count < 0) throw new ProviderFault('invalid_request', 'The schema has an odd count.');
  return count;
}

function sampleList(schema: Schema, sampling: Sampling, depth: number): unknown[] {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const least = readCount(schema.minItems, 0);
  const most = readCount(schema.maxItems, Number.MAX_SAFE_INTEGER);
  const wanted = isRoomy(sampling, depth) && schema.items !== false ? (schema.uniqueItems ? 1 : 2) : 0;
  const count = Math.max(least, Math.min(most, Math.max(first.length, wanted)));
  if (count > sampling.left) throw tooLarge();
  return Array.from({ length: count }, (_, index) => sample(first[index] ?? schema.items ?? {}, sampling, depth + 1));
}

function sampleObject(schema: Schema, sampling: Sampling, depth: number): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const names = isRoomy(sampling, depth) ? [...new Set([...Object.keys(properties), ...required])] : required;
  // An own member even for a name such as __proto__.
  return Object.fromEntries(
    names.map((name) => [name, sample(Object.hasOwn(properties, name) ? properties[name] : {}, sampling, depth + 1)]),
  );
}
