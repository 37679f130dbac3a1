import type { Divergence } from '@agp/core/lineage';
import { InvalidArgumentError } from 'commander';

export const headOption = [
  '--head <hash>',
  'a hash that you noted earlier, which the chain must still have',
  parseHash,
] as const;

export function findLoss(
  length: number,
  hashes: ReadonlySet<string>,
  knownHead: string | undefined,
): Divergence | null {
  if (knownHead === undefined || hashes.has(knownHead)) return null;
  const reason =
    'the chain no longer has the hash that --head names: it was changed or cut, or is of an event that was removed';
  return { seq: length, reason };
}

function parseHash(text: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('It must be sha256: and 64 hex digits.');
  return text;
}
