import { parseJson } from '@agp/core/json';

/** Undefined if it is not JSON. */
export function tryParse(json: string | Uint8Array): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}
