import { BlockList, isIP } from 'node:net';
import { commonFields, portField } from '@agp/runtime';
import { z } from 'zod';

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
    return /^\d+$/.test(bits);
  } catch {
    return false;
  }
}

/**
 * Whose `X-Forwarded-For` counts: a number of hops, or addresses and CIDR blocks with commas between. None by
 * default, and never everybody: a caller could then choose the address it is throttled by.
 */
const trustProxyField = z
  .string()
  .default('0')
  .transform((value) => (/^\d{1,2}$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim())))
  .refine((value) => typeof value === 'number' || value.every(isNetwork), 'must be a hop count or a CIDR list');

/** The management service's configuration, from the variables of decisions.md section 1. */
export const managementConfigSchema = z.object({
  ...commonFields,
  redisUrl: z.string().min(1),
  host: z.string().default('0.0.0.0'),
  managementPort: portField.default(8081),
  opsPort: portField.default(9081),
  /** Guessing must be out of question: `openssl rand -hex 32` makes a good one. */
  managementApiKey: z.string().min(16),
  edition: z.enum(['extended', 'base']).default('extended'),
  trustProxy: trustProxyField,
});

export type ManagementConfig = z.infer<typeof managementConfigSchema>;
