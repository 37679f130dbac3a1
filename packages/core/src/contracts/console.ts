import { z } from 'zod';
import { type Scope, scopeSchema } from './api-key.ts';
import { teamSchema } from './team.ts';
import { timestampSchema } from './timestamp.ts';

/** From the least to the most; auditors may do what viewers may. */
export const consoleRoles = ['viewer', 'auditor', 'operator', 'admin'] as const;

export const consoleRoleSchema = z.enum(consoleRoles).meta({
  id: 'ConsoleRole',
  description:
    '`viewer` and `auditor` may read, `operator` may change agents, budgets and limits too, `admin` everything',
});

export type ConsoleRole = z.infer<typeof consoleRoleSchema>;

const scopesOfRoles: Record<ConsoleRole, readonly Scope[]> = {
  viewer: ['read'],
  auditor: ['read'],
  operator: ['read', 'write'],
  admin: ['read', 'write', 'admin'],
};

export const scopesOfRole = (role: ConsoleRole): readonly Scope[] => scopesOfRoles[role];

export function roleOfScopes(scopes: Iterable<string>): ConsoleRole {
  const held = new Set(scopes);
  if (held.has('admin')) return 'admin';
  return held.has('write') ? 'operator' : 'viewer';
}

const viewSchema = teamSchema.nullable().meta({ description: 'Whose view it has; null for the whole installation' });

const installation = {
  oidc: z.boolean().meta({ description: 'Whether people can sign in with an OpenID provider' }),
};

export const consoleSessionSchema = z.discriminatedUnion('signed_in', [
  z.strictObject({ signed_in: z.literal(false), ...installation }),
  z.strictObject({
    signed_in: z.literal(true),
    ...installation,
    kind: z.enum(['api_key', 'oidc']),
    name: z.string(),
    role: consoleRoleSchema,
    scopes: z.array(scopeSchema),
    match: viewSchema,
    expires_at: timestampSchema,
    /** Null if the installation does not say. */
    proxy_url: z.string().nullable(),
    edition: z.enum(['extended', 'base']),
  }),
]);

export type ConsoleSession = z.infer<typeof consoleSessionSchema>;

const secretText = z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters');

export const signInSchema = z.union(
  [z.strictObject({ api_key: secretText }), z.strictObject({ code: secretText })],
  'must hold api_key or code',
);

/** What a page keeps for itself while its person is at the OpenID provider. */
const providerFlowSchema = z.strictObject({ state: secretText, nonce: secretText, verifier: secretText });

export const providerSignInSchema = providerFlowSchema.extend({
  answer: z.string().max(8_192, 'must have at most 8192 characters'),
});

export const consoleLinkInputSchema = z.strictObject({}).default({}).meta({ id: 'ConsoleLinkInput' });

export const consoleLinkSchema = z
  .strictObject({
    path: z.string().meta({ description: 'To open at the address of the console; it works once' }),
    expires_at: timestampSchema,
  })
  .meta({ id: 'ConsoleLink' });

const listedConsoleSessionSchema = z
  .strictObject({
    id: z.string().startsWith('con_'),
    kind: z.enum(['api_key', 'oidc']),
    name: z.string().meta({ description: 'Of the key, or of the person' }),
    role: consoleRoleSchema,
    match: viewSchema,
    source_ip: z.string().meta({ description: 'Address that signed in' }),
    created_at: timestampSchema,
    last_used_at: timestampSchema.meta({ description: 'Within two minutes' }),
    expires_at: timestampSchema,
  })
  .meta({ id: 'ConsoleSession', description: 'Somebody who is signed in to the console' });

export const consoleSessionListSchema = z.array(listedConsoleSessionSchema);
