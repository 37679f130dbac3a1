import { policySchema } from '@agp/policy/schema';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { z } from 'zod';

/** What a member may be, as far as editors and forms ask. */
export interface Schema {
  description?: string;
  type?: string;
  enum?: string[];
  /** What may be chosen, with the words for it. */
  words?: Readonly<Record<string, string>>;
  readOnly?: boolean;
  default?: unknown;
  /** Written, and never shown. */
  writeOnly?: boolean;
  isRequired?: boolean;
  const?: string | boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
  minItems?: number;
  maxLength?: number;
}

const { $defs } = z.toJSONSchema(policySchema, { io: 'input', unrepresentable: 'any' });
export const policyShape = $defs?.Policy as Schema;

const line = /^(\s*)([\w.-]+):/;
/** Members of `{ ... }` on a line, and where it opens and closes. */
const inFlow = /([\w.-]+):\s*\{|[{}]/g;

/** The names of the members around a place, by the indents of the lines before it and the braces of its own. */
export function listPath(before: string): string[] {
  const lines = before.split('\n');
  const own = lines.pop() ?? '';
  const path: string[] = [];
  let indent = /^\s*/.exec(own)?.[0].length ?? 0;
  for (const each of lines.toReversed()) {
    const [, space = '', name] = line.exec(each) ?? [];
    if (name === undefined || space.length >= indent) continue;
    path.unshift(name);
    indent = space.length;
  }
  const open: string[] = [];
  for (const [brace, name] of own.matchAll(inFlow)) {
    if (brace === '}') open.pop();
    else open.push(name ?? '');
  }
  return [...path, ...open];
}

/** Names of members, or the values of the member that is being written, as the policy's schema has them. */
export function listCompletions(before: string): Completion[] {
  let schema: Schema | undefined = policyShape;
  for (const name of listPath(before)) schema = schema?.properties?.[name];
  const [, member] = /(?:^|[\n{,]) *([\w.-]+): *\w*$/.exec(before) ?? [];
  if (member !== undefined) return (schema?.properties?.[member]?.enum ?? []).map((label) => ({ label, type: 'enum' }));
  if (!/(?:^|[\n{,])\s*[\w.-]*$/.test(before)) return [];
  return Object.entries(schema?.properties ?? {}).map(([label, { description, type }]) => ({
    label,
    type: 'property',
    apply: `${label}: `,
    ...(type !== undefined && { detail: type }),
    ...(description !== undefined && { info: description }),
  }));
}

export function completePolicy(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w.-]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const options = listCompletions(context.state.sliceDoc(0, context.pos));
  return options.length === 0 ? null : { from: word.from, options };
}
