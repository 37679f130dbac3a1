import { z } from 'zod';
import { fromPublicId, uuidTime } from '../ids.ts';
import { nanoToUsd } from '../money.ts';
import { type EventFields, eventFields, type FieldsWhere, knownCauses, listFields } from './event-fields.ts';

type FieldName = keyof EventFields;
type SchemasOf<Names extends FieldName> = { [Name in Names]: EventFields[Name]['schema'] };

const schemasOf = <Names extends FieldName>(names: readonly Names[], change: (schema: z.ZodType) => z.ZodType) =>
  Object.fromEntries(names.map((name) => [name, change(eventFields[name].schema)])) as SchemasOf<Names>;

const members = (Object.keys(eventFields) as FieldName[]).filter((name) => eventFields[name].in !== 'notes');

/**
 * One event on its way from a proxy to the writer: every member of the lineage payload but `v` and `seq`, and notes. Its payload is of
 * version 2 if it has `policy_version`, which proxies of 0.3.0 do not send. Members and values that only a later version knows are left out.
 */
export const eventMessageSchema = z
  .object({
    ...schemasOf(members, (schema) => schema),
    ...schemasOf(listFields({ in: 'notes' }), (schema) => schema.catch(undefined)),
    failure: z.enum(knownCauses).nullable().optional().catch(undefined),
    failed_at: z.literal('proxy').optional().catch(undefined),
  } as unknown as SchemasOf<FieldName> & { failed_at: z.ZodOptional<z.ZodLiteral<'proxy'>> })
  .superRefine((event, context) => {
    const uuid = fromPublicId('evt', event.id);
    if (uuid === null) context.addIssue({ code: 'custom', path: ['id'], message: 'is not an event id' });
    else if (uuidTime(uuid) !== Date.parse(event.timestamp)) {
      context.addIssue({ code: 'custom', path: ['timestamp'], message: 'is not the time that the id holds' });
    }
    if (fromPublicId('agt', event.agent_id) === null) {
      context.addIssue({ code: 'custom', path: ['agent_id'], message: 'is not an agent id' });
    }
  })
  .transform((event): Omit<typeof event, 'failed_at'> => {
    if (event.failed_at === undefined) return event;
    const { failed_at: failure, ...others } = event;
    return { ...others, failure };
  });

export type EventMessage = z.infer<typeof eventMessageSchema>;

/** As it travels: an egress proxy that failed stands in a member that older writers leave out, which take it for `unreachable`. */
export function encodeEvent(event: EventMessage): string {
  if (event.failure !== 'proxy') return JSON.stringify(event);
  return JSON.stringify({ ...event, failure: 'unreachable', failed_at: event.failure });
}

/**
 * Makes any text fit a field of an event, so that no string poisons a batch: cut at `max` UTF-16 units, with U+FFFD for anything that
 * Postgres cannot store.
 */
export function toEventText(value: string, max: number): string {
  return value.slice(0, max).replaceAll('\0', '\uFFFD').toWellFormed();
}

const announcedNames = listFields({ isAnnounced: true });
type AnnouncedName = FieldsWhere<{ isAnnounced: true }>;

const announcedEventSchema = z.object({
  // A later version may know values that this one does not.
  ...schemasOf(announcedNames, (schema) => (schema.safeParse(null).success ? schema.catch(null) : schema)),
  cost_usd: z.number(),
  lineage_hash: z.string(),
});

/**
 * One batch that a writer has recorded. `announcer_seq` counts the announcements of a process from 0, so that a subscriber notices a lost
 * one.
 */
export const eventAnnouncementSchema = z.object({
  announcer: z.string(),
  announcer_seq: z.int().min(0),
  events: z.array(announcedEventSchema),
});

export type AnnouncedEvent = Pick<EventMessage, AnnouncedName> & { cost_usd: number; lineage_hash: string };
export type EventAnnouncement = z.infer<typeof eventAnnouncementSchema>;

export function toAnnouncedEvent(event: EventMessage, lineageHash: string): AnnouncedEvent {
  const told = Object.fromEntries(announcedNames.map((name) => [name, event[name] ?? null]));
  return { ...told, cost_usd: nanoToUsd(event.cost_nano_usd), lineage_hash: lineageHash } as AnnouncedEvent;
}
