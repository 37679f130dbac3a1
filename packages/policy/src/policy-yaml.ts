import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import type { z } from 'zod';
import { type Policy, policySchema } from './schema.ts';

/** What is wrong with a text, from one character to another of one line. */
interface TextFault {
  from: number;
  to: number;
  message: string;
}

type Read = { policy: Policy; faults: [] } | { policy: null; faults: [TextFault, ...TextFault[]] };

/** A policy as people write it, with all that holds. */
export const writePolicy = (policy: object): string => stringify(policy, { lineWidth: 100 });

/** What a text in YAML or JSON says, or what is wrong with it, each at its place. */
export function readPolicy(text: string): Read {
  const document = parseDocument(text, { prettyErrors: false });
  const [broken, ...others] = document.errors.map(({ pos, message }) => cutToLine(text, pos, message));
  if (broken !== undefined) return { policy: null, faults: [broken, ...others] };
  const { value, problem } = toValue(document);
  if (problem !== null) return { policy: null, faults: [cutToLine(text, [0, text.length], problem)] };
  const { data: policy, error } = policySchema.safeParse(value);
  if (policy !== undefined) return { policy, faults: [] };
  const faults = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => cutToLine(text, findKey(document, issue.path, key), `${key}: no such member here`))
      : [cutToLine(text, findValue(document, issue.path), `${issue.path.join('.') || 'policy'}: ${describe(issue)}`)],
  );
  return { policy: null, faults: faults as [TextFault, ...TextFault[]] };
}

type Parsed = ReturnType<typeof parseDocument>;

/** An alias may be unknown, or stand for more than a text this long may say. */
function toValue(document: Parsed): { value: unknown; problem: null } | { value: null; problem: string } {
  try {
    return { value: document.toJS(), problem: null };
  } catch (error) {
    return { value: null, problem: (error as Error).message };
  }
}

type Span = readonly [from: number, to: number, ...number[]];

function cutToLine(text: string, [from, to]: Span, message: string): TextFault {
  const start = Math.min(from, text.length);
  const end = text.indexOf('\n', start);
  return { from: start, to: Math.max(start, Math.min(to, end < 0 ? text.length : end)), message };
}

/** Where a value stands, or the nearest one around it. */
function findValue(document: Parsed, path: readonly PropertyKey[]): Span {
  for (let length = path.length; length > 0; length -= 1) {
    const around = document.getIn(path.slice(0, length), true) as { range?: Span } | undefined;
    if (around?.range)
      return isMap(around) ? findKey(document, path.slice(0, length - 1), path[length - 1]) : around.range;
  }
  return document.contents?.range ?? [0, 0];
}

function findKey(document: Parsed, path: readonly PropertyKey[], key: PropertyKey | undefined): Span {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((each) => isScalar(each.key) && each.key.value === key) : undefined;
  return (pair?.key as { range?: Span } | undefined)?.range ?? (map as { range?: Span } | null)?.range ?? [0, 0];
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is missing, or of another type';
  return issue.message;
}
