import { timestampSchema } from '@agp/core/contracts';
import { nameSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { type KindName, kinds, matchFields, severities } from './kinds.ts';

export const maxRules = 200;
export const maxTargets = 50;
const maxSilences = 20;

/** A time in which a rule tells nobody of an agent, or of anything. */
const silenceSchema = z
  .strictObject({
    agents: z.array(z.string().min(1).max(256)).min(1).max(100).optional().meta({
      description: 'Only of alerts that are of one of these agents alone, by name; of all if absent',
    }),
    until: timestampSchema,
    reason: z.string().min(1).max(256),
  })
  .meta({ id: 'NotificationSilence' });

export type Silence = z.infer<typeof silenceSchema>;

/** A rule with one more silence, or without any; those that are over go. */
export const withSilence = <Silenced extends { silences?: Silence[] | undefined }>(
  rule: Silenced,
  silence: Silence | null,
): Silenced => ({
  ...rule,
  silences:
    silence === null
      ? undefined
      : [...(rule.silences ?? []).filter(({ until }) => Date.parse(until) > Date.now()), silence],
});

const common = {
  name: nameSchema.meta({ example: 'agents-failing' }),
  description: z.string().max(512).optional().meta({ description: 'Why it is there' }),
  targets: z.array(nameSchema).max(maxTargets).default([]).meta({
    description:
      'Where its alerts go, by name; without any they go to the targets that are `default_for` their severity',
  }),
  quiet_minutes: z.int().min(0).max(1_440).default(5).meta({
    description: 'What was open is over once its cause was gone for so long; until then it is no second alert',
  }),
  enabled: z.boolean().default(true),
  silences: z.array(silenceSchema).max(maxSilences).optional().meta({
    description: 'Until when its alerts stand in the list alone; one that is still open then is told',
  }),
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
