import type { DocumentRow, WrittenDocument } from '@agp/db';
import { type Identity, identitySchema, type StoredIdentity } from '@agp/identities';
import type { Request } from 'express';
import { keepText } from '../policy-text.ts';
import { presentRow } from '../presenters.ts';

/** One of a later release is shown as it is stored. */
export const readIdentityDocument = (row: DocumentRow<'identity'>) =>
  identitySchema.safeParse(row.identity).data ?? (row.identity as unknown as Identity);

export const presentIdentity = ({ name: _, ...row }: DocumentRow<'identity'>): StoredIdentity => ({
  ...presentRow(row, 'idp'),
  identity: readIdentityDocument({ name: _, ...row }),
});

/** An issuer as it is stored, with the text that came, or the stored one if that says the same. */
export const writeIdentity = (
  { body, request }: { body: Identity; request: Request },
  stored?: DocumentRow<'identity'>,
): WrittenDocument => ({
  document: body,
  text: keepText(request, body, stored && { said: readIdentityDocument(stored), text: stored.text }),
});
