import { generateSync, type JsonSchema } from 'json-schema-faker';
import { ProviderFault } from './request.ts';

/** Least items of all lists of a schema multiplied, and least characters of a text; no list or text gets longer. */
const maxLeast = 10_000;

/** Gemini writes types in capitals, and counts as texts. @throws ProviderFault if the schema asks for too much */
function readSchema(given: unknown, asked = { items: 1 }): unknown {
  if (Array.isArray(given)) return given.map((each) => readSchema(each, asked));
  if (typeof given !== 'object' || given === null) return given;
  const members = Object.entries(given).map(([name, value]) => {
    if (/^(?:const|enum|default|examples)$/.test(name)) return [name, value];
    if (name === 'type' && typeof value === 'string') return [name, value.toLowerCase()];
    if (!/^(?:min|max)(?:Items|Length)$/.test(name) || typeof value === 'object')
      return [name, readSchema(value, asked)];
    const count = Number(value);
    if (name === 'minItems') asked.items *= Math.max(1, count);
    if (asked.items > maxLeast || (name === 'minLength' && count > maxLeast))
      throw new ProviderFault('invalid_request', `The schema asks for more than ${maxLeast} values or characters.`);
    return [name, Math.min(count, maxLeast)];
  });
  return Object.fromEntries(members);
}

/** Makes a value that a JSON schema allows: of OpenAI's, Anthropic's or Gemini's kind. */
export function sampleSchema(schema: unknown): unknown {
  try {
    const read = readSchema(schema) as JsonSchema;
    return generateSync(read, { seed: 1, alwaysFakeOptionals: true, refDepthMax: 2, failOnInvalidTypes: true });
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw new ProviderFault('invalid_request', `The demo makes no value for this schema: ${(error as Error).message}`);
  }
}
