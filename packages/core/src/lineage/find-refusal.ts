import type { Divergence } from './judge-link.ts';

/**
 * The server's no, which counts where whoever checks has found nothing: the server sees columns that no download shows. Its yes proves
 * nothing and is never read.
 */
export function findRefusal({
  valid,
  first_divergence,
}: {
  valid: boolean;
  first_divergence: number | null;
}): Divergence | null {
  return valid
    ? null
    : { seq: first_divergence ?? 0, reason: 'the server itself finds that it is not as it was written' };
}
