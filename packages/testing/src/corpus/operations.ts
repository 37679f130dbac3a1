import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@agp/core/json';
import { providerApis } from '@agp/core/operations';
import { z } from 'zod';

const operation = z.strictObject({
  /** `unknown` stands for what is no operation. */
  name: z.string(),
  provider: z.enum(providerApis),
  method: z.enum(['GET', 'POST', 'PATCH']).default('POST'),
  /** Behind the provider's address; `{model}` stands for the model. */
  path: z.string().startsWith('/'),
  /** Further paths at which it is found. */
  alsoAt: z.array(z.string()).default([]),
  /** Where it names its model; `unread` if what it names is stored elsewhere, `none` if it runs none. */
  model: z.enum(['body', 'path', 'form', 'unread', 'none']),
  /** The format of the tools that it may offer. */
  tools: z.enum(['openai', 'responses', 'anthropic', 'gemini', 'interactions', 'converse']).optional(),
  /** The body that holds a call, which `{call}` stands for. */
  wrap: z.json().optional(),
});

export type OperationRow = z.infer<typeof operation>;

/** Stands for the model in paths. */
export const inPath = '{model}';

/** All operations of all dialects, as agents ask for them: a new one that has no row fails `test/corpus/operations.test.ts`. */
export const operations: readonly OperationRow[] = z
  .array(operation)
  .parse(parseJson(readFileSync(join(import.meta.dirname, '../../corpus/operations.json'), 'utf8')));

/** The body of a request that makes a call. */
export function wrapCall({ wrap }: OperationRow, call: object): object {
  if (wrap === undefined) return call;
  return JSON.parse(JSON.stringify(wrap), (_, value) => (value === '{call}' ? call : value));
}
