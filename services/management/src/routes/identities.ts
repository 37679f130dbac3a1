import {
  type Identity,
  identitySchema,
  maxIdentities,
  type StoredIdentity,
  storedIdentityListSchema,
  storedIdentitySchema,
  triedTokenSchema,
  tryTokenSchema,
} from '@agp/identities';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { documentRoutes } from '../document-routes.ts';
import { readYaml, writeDocument } from '../policy-text.ts';
import { presentIdentity, readIdentityDocument } from '../reads/identities.ts';
import { identityId } from '../requests.ts';

export const identityRoutes = tagRoutes('Identities', [
  ...documentRoutes<'identity', Identity, StoredIdentity>({
    ...{ kind: 'identity', action: 'identity', path: '/api/v1/identities' },
    ...{ prefix: 'idp', id: identityId, unknown: 'identity_not_found', scope: 'admin', ofInstallation: true },
    ...{ schema: identitySchema, shown: storedIdentitySchema, listShown: storedIdentityListSchema },
    readText: readYaml(identitySchema, 'identity'),
    says: {
      ...{ noun: 'The issuer', nouns: 'The issuers', one: 'One issuer' },
      list: 'All issuers of workload identities, by name',
      make: 'Trust an issuer: its tokens count from the next request on',
      replace:
        'Replace an issuer: the new one holds from the next request on, and tokens exchanged by the old one are gone',
      remove: 'Trust an issuer no more: its tokens, and those exchanged for them, are refused from the next request on',
    },
    errors: {
      make: ['identity_name_taken', 'issuer_taken', 'too_many_identities'],
      replace: ['identity_name_taken', 'issuer_taken'],
    },
    most: maxIdentities,
    describe: ({ version, identity }) => ({ version, identity }),
    present: (_context, rows) => rows.map(presentIdentity),
    write: (input, _context, stored) =>
      writeDocument(input, identitySchema, stored && { said: readIdentityDocument(stored), text: stored.text }),
  }),
  defineRoute('POST /api/v1/identities/try', {
    ofInstallation: true,
    isRead: true,
    summary: 'Which agent a token is, or what is missing; the token is neither stored nor logged',
    body: tryTokenSchema,
    answer: { description: 'What it proves', schema: triedTokenSchema },
    handle: ({ body }, { db, tokens }) => tokens.try(db, body.token.trim()),
  }),
]);
