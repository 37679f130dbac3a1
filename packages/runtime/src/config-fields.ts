import { z } from 'zod';

/** A TCP port; 0 takes a free one. */
export const portField = z.coerce.number().int().min(0).max(65_535);

/** `true` or `false`, nothing else, so that a typing error cannot switch a protection off. */
export const flagField = z.enum(['true', 'false']).transform((value) => value === 'true');

/** The variables that every service reads. */
export const commonFields = {
  databaseUrl: z.string().min(1),
  natsUrl: z.string().min(1),
  opsHost: z.string().default('0.0.0.0'),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
};
