import type { ClaimedName } from '@agp/core/contracts';
import type { ClaimedNameRow } from '@agp/db';

export function presentClaimedName({ name, claimed_at, token_count }: ClaimedNameRow): ClaimedName {
  return { name, claimed_at: claimed_at.toISOString(), token_count };
}
