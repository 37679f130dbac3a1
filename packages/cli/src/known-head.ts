import type { Divergence, LineageHead } from '@agp/core/lineage';
import { InvalidArgumentError } from 'commander';

export const headOption = [
  '--head <hash>',
  'a hash that you noted earlier, which the chain must still have',
  parseHash,
] as const;

/** Whether a checked chain has lost the hash that the user noted. */
export function findLoss(
  { length }: LineageHead,
  links: readonly { lineage_hash: string }[],
  knownHead: string | undefined,
): Divergence | null {
  if (knownHead === undefined || links.some((link) => link.lineage_hash === knownHead)) return null;
  const reason =
    'the chain no longer has the hash that --head names: it was changed or cut, or is of an event that was removed';
  return { seq: length, reason };
}

/** @param id of what stands at that place, if anything does */
export const describeDivergence = ({ seq, reason }: Divergence, id: string | undefined): string =>
  `diverges at seq ${seq}${id === undefined ? '' : ` (${id})`}: ${reason}`;

function parseHash(text: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('It must be sha256: and 64 hex digits.');
  return text;
}
