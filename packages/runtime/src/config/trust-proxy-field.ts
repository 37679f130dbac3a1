import { BlockList, isIP } from 'node:net';
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
 * The proxies whose `X-Forwarded-For` is believed: a number of hops, or a list of addresses and CIDR blocks. None by default, and
 * never everybody, or a caller could choose the address that it is known by.
 */
export const trustProxyField = z
  .string()
  .default('0')
  .transform((value) => (/^\d{1,2}$/.test(value) ? Number(value) : value.split(',').map((part) => part.trim())))
  .refine((value) => typeof value === 'number' || value.every(isNetwork), 'must be a hop count or a CIDR list');
