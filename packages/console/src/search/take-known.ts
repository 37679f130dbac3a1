import type { RawSearch } from './read-search.ts';

/**
 * Makes a screen see only what its reader took from an address: the router lays what was read over what stands in the address, so a value
 * that the reader left out would come through as anybody wrote it.
 */
export function takeKnown<Search extends object>(read: (raw: RawSearch) => Search): (raw: RawSearch) => Search {
  return (raw) => ({ ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])), ...read(raw) });
}
