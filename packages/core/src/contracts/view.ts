import { z } from 'zod';
import { isStorableText } from '../events/event-fields.ts';
import { timestampSchema } from './timestamp.ts';

/** Of a person, and of all together. */
export const maxViews = 100;

export const viewInputSchema = z
  .strictObject({
    screen: z
      .string()
      .max(64)
      .regex(/^\/[a-z-]*$/, 'must be the path of a screen, such as /events')
      .meta({ description: 'Path of the screen' }),
    name: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(80, 'must have at most 80 characters')
      .refine(isStorableText, 'must not hold NUL or a lone surrogate'),
    query: z
      .string()
      .max(2_000, 'must have at most 2000 characters')
      .regex(/^(?:\?[\x21-\x7e]*)?$/, 'must be empty or begin with ?, and be encoded')
      .meta({ description: "The address's search string" }),
    shared: z.boolean().default(false).meta({ description: 'Whether all see it: made and removed by an admin' }),
  })
  .meta({ id: 'ConsoleViewInput' });

export const viewSchema = z
  .strictObject({
    id: z.string().startsWith('viw_'),
    screen: z.string(),
    name: z.string(),
    query: z.string(),
    shared: z.boolean(),
    created_at: timestampSchema,
  })
  .meta({ id: 'ConsoleView', description: 'A list of the console with its filters, as somebody saved it' });

export type ConsoleView = z.infer<typeof viewSchema>;

export const viewListSchema = z.array(viewSchema);
