import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import {
  createIdentity,
  deleteIdentity,
  type IdentityRow,
  listIdentities,
  readIdentity,
  replaceIdentity,
} from '@agp/db';
import {
  identitySchema,
  maxIdentities,
  storedIdentityListSchema,
  storedIdentitySchema,
  triedTokenSchema,
  tryTokenSchema,
} from '@agp/identities';
import { recordChange, tellVersion } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { readYaml } from '../policy-text.ts';
import { presentIdentity, writeIdentity } from '../reads/identities.ts';
import { found, identityId } from '../requests.ts';

const readText = readYaml(identitySchema, 'identity');

const describe = ({ version, identity }: IdentityRow) => ({ version, identity });
const nameRow = ({ id }: IdentityRow) => toPublicId('idp', id);

export const identityRoutes = tagRoutes('Identities', [
  defineRoute('GET /api/v1/identities', {
    ofInstallation: true,
    summary: 'All issuers of workload identities, by name',
    answer: { description: 'The issuers', schema: storedIdentityListSchema },
    handle: async (_input, { db }) => (await listIdentities(db)).map(presentIdentity),
  }),
  defineRoute('POST /api/v1/identities', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Trust an issuer: its tokens count from the next request on',
    body: identitySchema,
    readText,
    answer: { status: 201, description: 'The issuer', schema: storedIdentitySchema },
    errors: ['identity_name_taken', 'issuer_taken', 'too_many_identities'],
    handle: (input, context) =>
      recordChange(context, input, 'identity.create', async (transaction) => {
        const row = await createIdentity(transaction, writeIdentity(input), maxIdentities);
        if (typeof row === 'string') throw new ApiError(row);
        return { result: presentIdentity(row), target: nameRow(row), after: describe(row) };
      }),
  }),
  defineRoute('POST /api/v1/identities/try', {
    ofInstallation: true,
    isRead: true,
    summary: 'Which agent a token is, or what is missing; the token is neither stored nor logged',
    body: tryTokenSchema,
    answer: { description: 'What it proves', schema: triedTokenSchema },
    handle: ({ body }, { db, tokens }) => tokens.try(db, body.token.trim()),
  }),
  defineRoute('GET /api/v1/identities/{id}', {
    ofInstallation: true,
    summary: 'One issuer',
    isVersioned: true,
    params: { id: identityId },
    answer: { description: 'The issuer', schema: storedIdentitySchema },
    handle: async ({ params }, { db }, response) => {
      const identity = presentIdentity(found(await readIdentity(db, params.id), 'identity_not_found'));
      return tellVersion(response, `${identity.version}`, identity);
    },
  }),
  defineRoute('PUT /api/v1/identities/{id}', {
    ofInstallation: true,
    scope: 'admin',
    summary:
      'Replace an issuer: the new one holds from the next request on, and tokens exchanged by the old one are gone',
    isVersioned: true,
    params: { id: identityId },
    body: identitySchema,
    readText,
    answer: { description: 'The issuer as it is now', schema: storedIdentitySchema },
    errors: ['identity_name_taken', 'issuer_taken'],
    handle: (input, context) =>
      recordChange(context, input, 'identity.update', async (transaction) => {
        const write = (stored: IdentityRow) => writeIdentity(input, stored);
        const replaced = found(await replaceIdentity(transaction, input.params.id, write), 'identity_not_found');
        if (typeof replaced === 'string') throw new ApiError(replaced);
        const { before, after } = replaced;
        const versions = { before: `${before.version}`, after: `${after.version}` };
        return {
          ...{ result: presentIdentity(after), target: nameRow(after), versions },
          ...{ before: describe(before), after: describe(after) },
        };
      }),
  }),
  defineRoute('DELETE /api/v1/identities/{id}', {
    ofInstallation: true,
    scope: 'admin',
    summary: 'Trust an issuer no more: its tokens, and those exchanged for them, are refused from the next request on',
    isVersioned: true,
    params: { id: identityId },
    answer: { status: 204, description: 'The issuer is gone' },
    handle: (input, context) =>
      recordChange(context, input, 'identity.delete', async (transaction) => {
        const row = found(await deleteIdentity(transaction, input.params.id), 'identity_not_found');
        return {
          result: undefined,
          target: nameRow(row),
          before: describe(row),
          versions: { before: `${row.version}` },
        };
      }),
  }),
]);
