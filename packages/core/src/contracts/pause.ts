import { z } from 'zod';

/** The body and the answer of `/api/v1/pause`. */
export const pauseSchema = z
  .strictObject({
    paused: z.boolean().meta({ description: 'While true, no agent is served and running requests end' }),
  })
  .meta({ id: 'Pause' });

export type Pause = z.infer<typeof pauseSchema>;
