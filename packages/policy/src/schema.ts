import {
  exactOrBeginning,
  listOf,
  nameSchema,
  selectorFields,
  selectorSchema,
  someOf,
  text,
  zoneSchema,
} from '@agp/documents/schema';
import { z } from 'zod';
import { checkSchema, piiSchema, requireSchema, whereSchema } from './data-schema.ts';
import { parseHours } from './hours.ts';

export { listPiiTypes, piiGroups, piiTypes } from '@agp/pii/types';
export { dataActions } from './data-schema.ts';

const maxStars = 4;
const maxExceptions = 50;
const maxReason = 256;
/** Characters of JSON. */
const maxLength = 32_768;

const anywhere = text(256)
  .refine((name) => name.split('*').length - 1 <= maxStars, `may hold at most ${maxStars} *`)
  .meta({ description: 'A name in which each `*` stands for any characters; in any case' });

const host = anywhere.refine((name) => !name.includes('/'), 'must be a host, without scheme and path');

function allowOrDeny<Item extends z.ZodType<string>>(item: Item) {
  return z
    .strictObject({ allow: listOf(item).optional(), deny: someOf(item).optional() })
    .refine(({ allow, deny }) => allow !== undefined || deny !== undefined, 'must hold allow, deny or both')
    .meta({ description: '`allow`: nothing else; `deny`: not these, also if both name it' });
}

const matchSchema = z
  .strictObject({ ...selectorFields, not: selectorSchema.optional() })
  .meta({ description: 'All that is named must match, and not all that `not` names; without any, every request does' });

const hoursSchema = z
  .strictObject({
    allow: text(512).refine(
      (value) => parseHours(value) !== null,
      'must be such as "Mon-Fri 08:00-18:00, Sat 09:00-12:00"',
    ),
    zone: zoneSchema,
  })
  .meta({ description: 'When requests are allowed; an hour that ends before it begins goes on to the next day' });

const limitsSchema = z
  .strictObject({
    max_output_tokens: z.int().min(1).max(8_388_608).optional(),
    max_input_bytes: z.int().min(1).max(2_147_483_647).optional(),
    over: z.enum(['refuse', 'lower']).default('refuse').meta({
      description: '`lower` sets the bound of output to the limit in place of a refusal',
    }),
    max_cost_usd: z
      .number()
      .positive()
      .max(9_000_000)
      .optional()
      .meta({ description: 'What a call may be likely to cost' }),
  })
  .refine((limits) => Object.keys(limits).some((name) => name !== 'over'), 'must hold a limit');

const toolsSchema = z
  .strictObject({
    client: allowOrDeny(anywhere).optional().meta({ description: 'Tools that the agent runs, by name' }),
    hosted: allowOrDeny(anywhere).optional().meta({ description: 'Tools that the provider runs, by name or type' }),
    remote_mcp: z
      .strictObject({ hosts: listOf(host), connectors: listOf(anywhere), tunnels: listOf(anywhere) })
      .partial()
      .optional()
      .meta({ description: 'MCP servers that the provider may reach for the agent; no others' }),
    on_declared: z.enum(['refuse', 'strip']).default('refuse').meta({
      description: 'What becomes of a request that offers a denied tool: it is refused, or goes on without the tool',
    }),
    on_call: z.enum(['record', 'block']).default('block').meta({
      description:
        'What becomes of an answer that calls a denied tool: it is recorded, or ended before the call is out',
    }),
  })
  .refine(
    ({ client, hosted, remote_mcp: mcp }) => client !== undefined || hosted !== undefined || mcp !== undefined,
    'must hold client, hosted or remote_mcp',
  );

const untilSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00+01:00',
});

const exceptionSchema = z
  .strictObject({
    match: selectorSchema.meta({ description: 'All that is named must match' }),
    rules: z.array(text(64)).min(1).max(20).optional().meta({
      description: 'As findings name them, such as `models`, or how they begin, such as `limits`; all if absent',
    }),
    until: untilSchema.meta({ description: 'From then on the rules hold again' }),
    reason: text(maxReason).meta({ description: 'Why it is made' }),
    by: z.string().max(256).optional().meta({ description: 'Who made it; set by the API' }),
    at: z.iso.datetime({ precision: 3 }).optional().meta({ description: 'When; set by the API' }),
  })
  .meta({ id: 'PolicyException', description: 'Requests that some rules of a policy do not judge for a time' });

/** One policy, as people write it. */
export const policySchema = z
  .strictObject({
    name: nameSchema.meta({ example: 'interns' }),
    description: text(512).optional().meta({ description: 'Why it is there' }),
    mode: z.enum(['observe', 'warn', 'enforce']).default('observe').meta({
      description: '`observe` records what it would decide, `warn` also tells the agent in a header, `enforce` refuses',
    }),
    match: matchSchema.prefault({}),
    models: allowOrDeny(exactOrBeginning).optional(),
    providers: allowOrDeny(exactOrBeginning).optional(),
    operations: allowOrDeny(exactOrBeginning).optional(),
    limits: limitsSchema.optional(),
    tools: toolsSchema.optional().meta({ description: 'What a request may offer its model, and its answer may call' }),
    hours: hoursSchema.optional(),
    pii: piiSchema.optional().meta({ description: 'What becomes of personal data and secrets in texts' }),
    where: whereSchema.optional().meta({ description: 'Where calls may be processed, and whether they may be kept' }),
    require: requireSchema.optional().meta({ description: 'What calls must ask of their provider' }),
    check: checkSchema.optional().meta({ description: 'A service of your own that judges texts' }),
    unreadable: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .meta({ description: 'What becomes of a request that cannot be read so that a rule is sure of it' }),
    running: z.enum(['finish', 'stop']).default('finish').meta({
      description: 'What becomes of requests that are under way when the policy begins to forbid them',
    }),
    refusal: text(256)
      .optional()
      .meta({ description: 'What the agent reads; `{rule}` and `{policy}` stand for their names' }),
    until: untilSchema
      .optional()
      .meta({ description: 'The policy ends by itself; a date ends it when that day begins, in UTC' }),
    exceptions: z.array(exceptionSchema).max(maxExceptions).optional(),
  })
  .refine(
    (policy) => JSON.stringify(policy).length <= maxLength,
    `must be no longer than ${maxLength} characters of JSON`,
  )
  .meta({
    id: 'Policy',
    description: 'Which models, providers and operations are allowed, for whom, when and how much',
  });

export type Policy = z.infer<typeof policySchema>;
export type PolicyException = z.infer<typeof exceptionSchema>;

export const withoutSign = ({ by: _by, at: _at, ...exception }: PolicyException): PolicyException => exception;

/** A policy as it was said, without who made its exceptions. */
export const withoutSigns = (policy: Policy) => ({ ...policy, exceptions: policy.exceptions?.map(withoutSign) });
