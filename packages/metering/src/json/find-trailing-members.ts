import type { JsonObject } from './json-shapes.ts';
import { backslash, scanRest, skipSpace } from './scan-members.ts';
import { tryParse } from './try-parse.ts';

const names = [
  'usage',
  'usageMetadata',
  'model',
  'modelVersion',
  'service_tier',
  'svg_usage',
  'tool_usage',
  'tools',
] as const;

/** A name may also occur in the data; at most this many of its last occurrences are tried. */
const maxTries = 16;

/** A key belongs to the root if its object closes with the last byte of the answer. */
function findMember(tail: Buffer, name: string): unknown {
  const key = `"${name}"`;
  let at = tail.lastIndexOf(key);
  for (let tries = 0; at > 0 && tries < maxTries; tries++) {
    const rest = tail[at - 1] === backslash ? null : scanRest(tail, at);
    const first = rest?.members[0];
    if (rest && first && skipSpace(tail, rest.end) === tail.length)
      return tryParse(tail.subarray(first.start, first.end));
    at = tail.lastIndexOf(key, at - 1);
  }
  return undefined;
}

/**
 * The figures and the model of a JSON answer that is too large to parse, from its last bytes: they come after the data in
 * the answers that get large. Empty where they are not members of the root, or are cut.
 */
export function findTrailingMembers(tail: Buffer): JsonObject {
  const found = names.map((name) => [name, findMember(tail, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
