import { parseJson } from '@agp/core/json';
import type { z } from 'zod';
import { CliError } from './cli-error.ts';

/**
 * Reads JSON by its contract.
 *
 * @param call method and address, for the message
 * @throws CliError naming the first wrong field
 */
export function parseAnswer<Data>(text: string, schema: z.ZodType<Data>, call: string): Data {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw new CliError(`${call} did not answer in JSON: is it the address of the management API?`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the answer';
  throw new CliError(`${call}: ${where} is not what this version expects; use the one that the service has.`);
}
