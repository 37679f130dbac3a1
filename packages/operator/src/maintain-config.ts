import { leastRetentionDays } from '@agp/db';
import { z } from 'zod';

export const defaultRetentionDays = 184;
export const defaultRefusalDays = 7;
const wrongDays = `must be a whole number of days, at least ${leastRetentionDays}, or 0`;

/** What `maintain` reads beside the database's address. */
export const maintainConfigSchema = z.object({
  // A pattern first: a number made of a blank, of "-0" or of "" would be 0, which keeps everything for ever.
  retentionDays: z
    .string()
    .regex(/^\d{1,5}$/, wrongDays)
    .transform(Number)
    .refine((days) => days === 0 || days >= leastRetentionDays, wrongDays)
    .default(defaultRetentionDays),
  refusalDays: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a whole number of days, 1 to 999')
    .transform(Number)
    .default(defaultRefusalDays),
});
