import { createHash } from 'node:crypto';

/** The same by Node, which takes 3 µs for a link where the one for browsers takes 17. */
export function hexSha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
