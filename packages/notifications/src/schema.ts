import { nameSchema } from '@agp/policy/schema';
import { z } from 'zod';
import { type KindName, kinds, matchFields, severities } from './kinds.ts';

export const maxRules = 200;
export const maxTargets = 50;

const common = {
  name: nameSchema.meta({ example: 'agents-failing' }),
  description: z.string().max(512).optional().meta({ description: 'Why it is there' }),
  targets: z
    .array(nameSchema)
    .max(maxTargets)
    .default([])
    .meta({ description: 'Where its alerts go, by name; without any they stand in the list alone' }),
  quiet_minutes: z.int().min(0).max(1_440).default(5).meta({
    description: 'What was open is over once its cause was gone for so long; until then it is no second alert',
  }),
  enabled: z.boolean().default(true),
};

type Params<Name extends KindName> = (typeof kinds)[Name]['params'];
type Shape<Name extends KindName> = typeof common &
  Params<Name> & {
    on: z.ZodLiteral<Name>;
    severity: z.ZodDefault<z.ZodEnum<{ [Each in (typeof severities)[number]]: Each }>>;
    match: z.ZodPrefault<z.ZodObject<typeof matchFields, z.core.$strict>>;
  };

type Strict<Fields> = Fields extends z.ZodRawShape ? z.ZodObject<Fields, z.core.$strict> : never;
type RuleSchemas = { [Name in KindName]: Strict<Shape<Name>> };

function ruleOf(on: KindName) {
  const { means, severity, matches, params } = kinds[on];
  const match = Object.fromEntries(matches.map((name) => [name, matchFields[name]]));
  return z
    .strictObject({
      ...common,
      on: z.literal(on).meta({ description: means }),
      severity: z.enum(severities).default(severity),
      match: z.strictObject(match).prefault({}).meta({ description: 'All that is named must match' }),
      ...params,
    })
    .meta({ id: `NotificationRuleOn_${on}` });
}

const rules = (Object.keys(kinds) as KindName[]).map(ruleOf) as unknown as [RuleSchemas[KindName]];

/** One rule, as people write it: what it is on decides what else it has. */
export const ruleSchema = z
  .discriminatedUnion('on', rules)
  .meta({ id: 'NotificationRule', description: 'What is told to whom' });

export type Rule<Name extends KindName = KindName> = z.infer<RuleSchemas[Name]>;
