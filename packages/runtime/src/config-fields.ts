import { z } from 'zod';

const portRange = 'must be a whole number from 0 to 65535';

/** A TCP port; 0 takes a free one. */
export const portField = z.coerce.number(portRange).int(portRange).min(0, portRange).max(65_535, portRange);

/** The variables that every service reads. */
export const commonFields = {
  databaseUrl: z.string().min(1),
  natsUrl: z.string().min(1),
  opsHost: z.string().default('0.0.0.0'),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
};
