import { accessSync, constants } from 'node:fs';
import { z } from 'zod';

const portRange = 'must be a whole number from 0 to 65535';

/** A TCP port; 0 takes a free one. */
export const portField = z.coerce.number(portRange).int(portRange).min(0, portRange).max(65_535, portRange);

/** A file that must be there at the start, or a typing error would be tried again for ever. */
const fileField = z.string().refine((file) => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}, 'cannot be read');

/** The variables that every service reads. */
export const commonFields = {
  databaseUrl: z.string().min(1),
  natsUrl: z.string().min(1),
  /** Where `natsUrl` was read, if it was: its password may change while the service runs. */
  natsUrlFile: fileField.optional(),
  /** Certificates that the certificate of NATS must come from; likewise of Redis. */
  natsCaFile: fileField.optional(),
  redisUrl: z.string().min(1),
  redisCaFile: fileField.optional(),
  opsHost: z.string().default('0.0.0.0'),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
};
