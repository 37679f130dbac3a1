import { fromUUID, TypeID } from 'typeid-js';

/** Prefixes of the public identifiers (decisions.md section 3), and `prx` of a proxy process as events name it. */
export type IdPrefix = 'agt' | 'evt' | 'ses' | 'key' | 'tok' | 'prx';

/** Writes a UUIDv7 as a public id: the prefix, `_`, and 26 characters of TypeID base32. */
export function toPublicId(prefix: IdPrefix, uuid: string): string {
  return fromUUID(uuid, prefix);
}

/** Reads the UUID out of a public id. Null for anything that is not an id with that prefix. */
export function fromPublicId(prefix: IdPrefix, id: string): string | null {
  try {
    return TypeID.fromString(id, prefix).toUUID();
  } catch {
    return null;
  }
}

/** The time a UUIDv7 holds, in milliseconds since 1970 UTC. */
export function uuidTime(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** The smallest UUID of a millisecond: the lower bound of all UUIDv7 made in it or later. */
export function firstUuidAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
