import { accessSync, constants } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { splitLines } from '@agp/core/login-urls';
import { splitServerUrl } from '@agp/core/text';
import { z } from 'zod';
import { callerFields } from '../http/caller-guard.ts';

const portRange = 'must be a whole number from 0 to 65535';

export const portField = z.coerce.number(portRange).int(portRange).min(0, portRange).max(65_535, portRange);

/** It must exist at the start, or a typing error would be retried for ever. */
const fileField = z.string().refine((file) => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}, 'cannot be read');

/** What is wrong with the URL of one server or several, or null. It never quotes the URL, which holds a password. */
function findUrlFault(text: string, schemes: readonly string[]): string | null {
  if (!schemes.some((scheme) => text.startsWith(`${scheme}://`)))
    return `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  const servers = splitServerUrl(text);
  try {
    for (const server of servers) {
      const url = new URL(server);
      decodeURIComponent(url.username);
      decodeURIComponent(url.password);
      if (servers.length > 1 && url.hostname === '') return 'names a server without a host';
    }
    return null;
  } catch {
    return 'is not a URL; characters with a meaning in URLs must be percent-encoded in names and passwords';
  }
}

function checkUrl(schemes: readonly string[]) {
  return (text: string, context: z.RefinementCtx<string>) => {
    const message = findUrlFault(text, schemes);
    if (message !== null) context.addIssue({ code: 'custom', message });
  };
}

const checkDatabaseScheme = checkUrl(['postgres', 'postgresql']);
const checkNatsUrl = checkUrl(['nats', 'tls']);
const checkRedisScheme = checkUrl(['redis', 'rediss', 'redis+sentinel', 'rediss+sentinel']);

/** While a password is changed a file holds the URL with the old one and with the new one. */
const eachLine =
  (check: (url: string, context: z.RefinementCtx<string>) => void) =>
  (text: string, context: z.RefinementCtx<string>): void => {
    for (const url of splitLines(text)) check(url, context);
  };

function checkDatabaseUrl(text: string, context: z.RefinementCtx<string>): void {
  checkDatabaseScheme(text, context);
  if (splitServerUrl(text).length > 1)
    context.addIssue({
      code: 'custom',
      message: 'names several servers; it needs one endpoint that leads to the primary',
    });
}

function checkRedisUrl(text: string, context: z.RefinementCtx<string>): void {
  checkRedisScheme(text, context);
  const servers = splitServerUrl(text);
  const isSentinel = /^rediss?\+sentinel:/.test(text);
  if (!isSentinel && servers.length > 1)
    context.addIssue({
      code: 'custom',
      message: 'names several servers; for sentinels it begins with redis+sentinel://',
    });
  if (isSentinel && (URL.parse(servers[0] ?? '')?.pathname ?? '').length < 2)
    context.addIssue({
      code: 'custom',
      message: "must end with the sentinels' name for the master, such as /mymaster",
    });
}

export const storageTimeoutField = z.coerce.number().int().min(1);

export const commonFields = {
  databaseUrl: z.string().min(1).superRefine(eachLine(checkDatabaseUrl)).describe('[Postgres](#servers)'),
  // Several servers of a cluster need no scheme.
  natsUrl: z
    .string()
    .min(1)
    .superRefine(
      eachLine((text, context) => {
        for (const part of text.split(',').map((server) => server.trim()))
          checkNatsUrl(part.includes('://') ? part : `nats://${part}`, context);
      }),
    )
    .describe('[NATS](#servers) with JetStream'),
  natsCaFile: fileField.optional().describe('certificate authorities for NATS, in PEM'),
  redisUrl: z.string().min(1).superRefine(eachLine(checkRedisUrl)).describe('[Redis](#servers)'),
  redisCaFile: fileField.optional().describe('the same for Redis'),
  redisTimeoutMs: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('longest wait for Redis before going on without; 100 to 2,000 by purpose if unset'),
  ...callerFields,
  opsHost: z.string().default('0.0.0.0').describe('the address of the ops port'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('from `trace` to `fatal`, or `silent`'),
};

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

/** Hops, or addresses and CIDR blocks. Never everybody, or a caller could choose its address. */
export const trustProxyField = z
  .string()
  .default('0')
  .transform((value) => (/^\d{1,2}$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim())))
  .refine((value) => typeof value === 'number' || value.every(isNetwork), 'must be a hop count or a CIDR list');

/** Separated by commas, in small letters, with their ports if they are named. */
export const hostsField = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter(Boolean),
  );
