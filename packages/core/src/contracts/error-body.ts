import { z } from 'zod';

/** The body of every error. */
export const errorBodySchema = z
  .strictObject({ error: z.string().meta({ description: 'What went wrong, in a few words' }) })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success' });

export type ErrorBody = z.infer<typeof errorBodySchema>;
