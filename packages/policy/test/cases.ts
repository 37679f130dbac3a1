import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventTool } from '@agp/core/events';
import { listOperationNames } from '@agp/core/operations';
import { parse } from 'yaml';
import { z } from 'zod';
import type { CallFacts } from '../src/facts.ts';
import { policySchema } from '../src/schema.ts';

/** A tool by its kind and all its names, such as `client n.shell shell`. */
const toolSchema = z.string().transform((text): EventTool => {
  const [kind, ...names] = text.split(' ');
  return { kind: kind as EventTool['kind'], names };
});

/** A call by what rules ask of it. What it leaves out is that of any call. */
const callSchema = z.strictObject({
  agent: z.string().default('intern-1'),
  /** An agent has the same in all cases. */
  labels: z.record(z.string(), z.string()).optional(),
  tag: z.string().default('default'),
  provider: z.string().default('openai'),
  /** Null for a path that is not known. */
  operation: z.string().nullable().default('chat.completions'),
  /** Now if it is not given. */
  at: z.iso.datetime().optional(),
  models: z.array(z.string()).nullable().default(['gpt-5']),
  tools: z.array(toolSchema).nullable().default([]),
  output_tokens: z.int().nullable().default(100),
  input_bytes: z.int().nullable().default(1_000),
  nano_usd: z.int().nullable().optional(),
  geo: z.enum(['eu', 'us', 'ch']).nullable().optional(),
  stores: z
    .union([z.string(), z.literal(false)])
    .nullable()
    .optional(),
  guardrail: z.union([z.string(), z.boolean()]).nullable().optional(),
  /** How a client sends it, if that does not follow from the rest; a GET without a body. A text is sent as it is, `{30 KB}` stands for so much. */
  sent: z
    .strictObject({
      path: z.string(),
      body: z.json().optional(),
      encoding: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  /** Rules that do not let it pass: `POLICY RULE`, or only the rule of a case's one policy; ` unread` and ` excepted` say how. */
  finds: z.array(z.string()).default([]),
  /** What a rule asks of it and its event does not tell, so that a preview does not judge it. */
  not_recorded: z.string().optional(),
  /** What the refusal says, in part. */
  why: z.string().optional(),
});

/** A policy as its operator writes it, without a name: it is enforced, and is called `p`. */
const written = z.record(z.string(), z.json()).transform((given) => ({ name: 'p', mode: 'enforce', ...given }));

const caseSchema = z.strictObject({
  that: z.string(),
  policy: written.optional(),
  policies: z.array(written).default([]),
  calls: z.array(callSchema),
  /** What a preview says of all its calls, in part. */
  preview: z.looseObject({}).optional(),
});

/** A call of a case, with what is expected of each reader. */
export type CaseCall = z.output<typeof callSchema>;
export type Case = ReturnType<typeof listCases>[number];

/** A day of the week that is not now, however long tests take. */
const otherDay = new Date(Date.now() + 3 * 86_400_000).toUTCString().slice(0, 3);

const folder = join(import.meta.dirname, 'cases');

/** The cases of all files of `cases`: policies, calls, and the rules that find each. */
export function listCases() {
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('{in three days}', otherDay);
    const value = z.array(caseSchema).parse(parse(text, { merge: true, maxAliasCount: -1 }));
    return value.map(({ that, policy, policies, calls, preview }) => ({
      preview,
      name: `${file.replace('.yaml', '')}: ${that}`,
      policies: policy === undefined ? policies : [policy],
      parsed: (policy === undefined ? policies : [policy]).map((each) => policySchema.parse(each)),
      calls: calls.map((call) => ({ ...call, finds: call.finds.map((rule) => (policy ? `p ${rule}` : rule)) })),
    }));
  });
}

const isUsual = ({ agent }: CaseCall) => agent === 'intern-1';

export const labelsOf = (call: CaseCall): Record<string, string> =>
  call.labels ?? (isUsual(call) ? { team: 'interns' } : {});

/** What rules are told of a call. */
export function toFacts(call: CaseCall): CallFacts {
  const { agent, tag, provider, operation, at, models, tools, output_tokens, input_bytes, geo, stores, guardrail } =
    call;
  return {
    ...{ agent, labels: labelsOf(call), tag, provider, models, tools, output_tokens, input_bytes },
    operations: operation === null ? null : listOperationNames(operation),
    at: at === undefined ? Date.now() : Date.parse(at),
    nano_usd: call.nano_usd === undefined ? 1_000_000 : call.nano_usd,
    ...(geo !== undefined && { geo }),
    ...(stores !== undefined && { stores }),
    ...(guardrail !== undefined && { guardrail }),
  };
}
