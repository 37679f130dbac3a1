import type { DocumentRow } from '@agp/db';
import { type Identity, identitySchema, type StoredIdentity } from '@agp/identities';
import { presentRow } from '../presenters.ts';

/** One of a later release is shown as it is stored. */
export const readIdentityDocument = (row: DocumentRow<'identity'>) =>
  identitySchema.safeParse(row.identity).data ?? (row.identity as unknown as Identity);

export const presentIdentity = ({ name: _, ...row }: DocumentRow<'identity'>): StoredIdentity => ({
  ...presentRow(row, 'idp'),
  identity: readIdentityDocument({ name: _, ...row }),
});
