import { webhookSecret } from '@agp/core/text';
import { nameSchema } from '@agp/documents/schema';
import { z } from 'zod';
import { severities } from './kinds.ts';
import { reportFields } from './monthly-costs.ts';

const isUrl = (text: string) => {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.hash === ''
  );
};

const urlSchema = z.string().max(2_048).refine(isUrl, 'must be a URL with https, without user name and fragment');

const secretText = z
  .string()
  .min(8)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, 'must be printable, without spaces');

const headerText = z
  .string()
  .min(8)
  .max(4_096)
  .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable');

/** What a target of a kind asks: members that are shown, and secret ones that are written and never read. */
interface TargetRow {
  means: string;
  shown: z.ZodRawShape;
  secret: z.ZodRawShape;
}

const row = <const Row extends TargetRow>(of: Row) => of;

/** Where alerts can go. How a message is written for each, and what its answers mean, stands with its sender in management. */
export const targetKinds = {
  webhook: row({
    means: 'a URL that takes Standard Webhooks: signed, each message with an id that stays the same',
    shown: { url: urlSchema, ...reportFields },
    secret: {
      secret: z
        .string()
        .regex(webhookSecret, 'must be whsec_ and 24 to 64 bytes in Base64')
        .optional()
        .meta({ description: 'Signs its messages. Made if absent; another one signs beside the last for 24 hours' }),
    },
  }),
  slack: row({
    means: "a channel, by Slack's incoming webhook",
    shown: reportFields,
    secret: { url: urlSchema.meta({ example: 'https://hooks.slack.com/services/T00/B00/XXXX' }) },
  }),
  teams: row({
    means: 'a channel, by the URL of a Teams workflow that posts an adaptive card',
    shown: reportFields,
    secret: { url: urlSchema },
  }),
  pagerduty: row({
    means: 'a service of PagerDuty, by its integration key (Events API v2)',
    shown: { region: z.enum(['us', 'eu']).default('us') },
    secret: { routing_key: secretText },
  }),
  email: row({
    means: 'people, by the mail server of the setting SMTP_URL',
    shown: { to: z.array(z.email().max(254)).min(1, 'must hold an address').max(20), ...reportFields },
    secret: {},
  }),
  alertmanager: row({
    means: 'all replicas of an Alertmanager, told again and again what is open',
    shown: { urls: z.array(urlSchema).min(1, 'must hold a URL').max(10) },
    secret: { authorization: headerText.optional().meta({ description: 'A header such as `Bearer ...`' }) },
  }),
} as const;

export type TargetKind = keyof typeof targetKinds;
const kindNames = Object.keys(targetKinds) as TargetKind[];

const common = {
  name: nameSchema.meta({ example: 'on-call' }),
  description: z.string().max(512).optional(),
  default_for: z
    .array(z.enum(severities))
    .max(severities.length)
    .optional()
    .meta({ description: 'Alerts of these severities go here if their rule names no target' }),
};

type Row<Name extends TargetKind> = (typeof targetKinds)[Name];
type Shown<Name extends TargetKind> = typeof common & Row<Name>['shown'] & { kind: z.ZodLiteral<Name> };
type Optional<Shape> = { [Member in keyof Shape]: z.ZodOptional<z.ZodString> };
type Strict<Fields> = Fields extends z.ZodRawShape ? z.ZodObject<Fields, z.core.$strict> : never;
/** A schema for each kind of target, as its union takes them. */
type Union<Schemas extends Record<TargetKind, unknown>> = [Schemas[TargetKind]];

const schemasOf = (id: string, more: (kind: TargetKind) => z.ZodRawShape) =>
  kindNames.map((kind) =>
    z
      .strictObject({
        ...common,
        kind: z.literal(kind).meta({ description: targetKinds[kind].means }),
        ...targetKinds[kind].shown,
        ...more(kind),
      })
      .meta({ id: `${id}_${kind}` }),
  ) as unknown;

type Inputs = { [Name in TargetKind]: Strict<Shown<Name> & Row<Name>['secret']> };

/** One target, as people write it. */
export const targetSchema = z
  .discriminatedUnion('kind', schemasOf('NotificationTargetTo', (kind) => targetKinds[kind].secret) as Union<Inputs>)
  .meta({ id: 'NotificationTarget', description: 'Where alerts go' });

export type Target<Name extends TargetKind = TargetKind> = z.infer<Inputs[Name]>;

type Changes = { [Name in TargetKind]: Strict<Shown<Name> & Optional<Row<Name>['secret']>> };

const optional = (shape: z.ZodRawShape): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, z.optional(schema)]));

/** A target that takes the place of another: its secrets stay if they are absent. */
export const targetChangeSchema = z
  .discriminatedUnion(
    'kind',
    schemasOf('NotificationTargetChangeTo', (kind) => optional(targetKinds[kind].secret)) as Union<Changes>,
  )
  .meta({ id: 'NotificationTargetChange' });

export type TargetChange = z.infer<typeof targetChangeSchema>;

const host = z.string().nullable().meta({ description: 'Of a URL that is itself a secret' });

type ShownTargets = { [Name in TargetKind]: Strict<Shown<Name> & { host: typeof host }> };

/** A target as it is shown. */
export const shownTargetSchema = z
  .discriminatedUnion('kind', schemasOf('ShownNotificationTargetTo', () => ({ host })) as Union<ShownTargets>)
  .meta({ id: 'ShownNotificationTarget' });

export type ShownTarget = z.infer<typeof shownTargetSchema>;

/** Members of a target that are secret. */
export const secretNames = (kind: TargetKind): string[] => Object.keys(targetKinds[kind].secret);
