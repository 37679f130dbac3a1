import { z } from 'zod';
import { findStart } from '../calendar.ts';

/** UTC, ISO 8601, milliseconds, `Z`. */
export const timestampSchema = z.iso.datetime({ precision: 3 }).meta({
  description: 'UTC, ISO 8601 with milliseconds',
  example: '2026-11-20T09:30:00.000Z',
});

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const isoSchema = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const forms =
  'ISO 8601, a UTC day (`2026-11-20`, `today`, `yesterday`), week (`week` of Monday, `last-week`) or month (`month`, ' +
  '`last-month`) for its start, or so long ago (`30m`, `24h`, `7d`)';
const refusal =
  'must be a time such as 2026-11-20T09:30:00Z, a UTC day such as 2026-11-20, today or yesterday, week, last-week, month or ' +
  'last-month for its start, or a span before now such as 30m, 24h or 7d';

/** Reads a point in time as a caller may write it; null for a text in none of the forms. */
export function readTime(text: string, now: Date = new Date()): Date | null {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (unit !== '') return new Date(now.getTime() - Number(amount) * unitMs[unit as keyof typeof unitMs]);
  return findStart(text, now) ?? (isoSchema.safeParse(text).success ? new Date(text) : null);
}

export const timeParameterSchema = z
  .string()
  .transform((text, context) => {
    const time = readTime(text);
    if (time === null) context.addIssue(refusal);
    return time ?? z.NEVER;
  })
  .meta({ description: forms, example: '2026-11-20T00:00:00Z' });

const isRelative = (text: string) => !/^\d{4}-/.test(text);

/** For sums by hour: spans count from the start of this hour, and a time is one at which an hour begins. */
export const hourParameterSchema = z
  .string()
  .transform((text, context) => {
    const time = readTime(text);
    const hour = time && new Date(Math.floor(time.getTime() / unitMs.h) * unitMs.h);
    if (time === null) context.addIssue(refusal);
    else if (!isRelative(text) && hour?.getTime() !== time.getTime())
      context.addIssue('must be the start of an hour in UTC: usage is summed by hour');
    return hour ?? z.NEVER;
  })
  .meta({ example: 'yesterday' });

/** `from` is in the range, `to` is not. */
export function timeRange(entries: string, of = 'of') {
  return {
    from: timeParameterSchema.optional().meta({ description: `Only ${entries} ${of} this time or later. ${forms}` }),
    to: timeParameterSchema.optional().meta({ description: `Only ${entries} before this time, in the same forms` }),
  };
}

export const isForward = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  from === undefined || to === undefined || from < to;
export const forwardFault = { path: ['from'], error: 'must be earlier than to' };
