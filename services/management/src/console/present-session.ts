import { type ConsoleSession, consoleRoleSchema, roleOfScopes, type Scope } from '@agp/core/contracts';
import type { ManagementConfig } from '../config.ts';
import type { Caller } from '../keys/caller.ts';

/**
 * What the page is told of its session.
 *
 * @param caller with a session; undefined for nobody
 */
export function presentSession(caller: Caller | undefined, config: ManagementConfig): ConsoleSession {
  const oidc = config.oidcIssuer !== undefined;
  if (caller?.session === undefined) return { signed_in: false, oidc };
  const isPerson = caller.actor.kind === 'person';
  return {
    signed_in: true,
    oidc,
    kind: isPerson ? 'oidc' : 'api_key',
    name: caller.actor.name,
    role: isPerson ? consoleRoleSchema.parse(caller.session.role) : roleOfScopes(caller.scopes),
    scopes: [...caller.scopes] as Scope[],
    expires_at: caller.session.expires_at.toISOString(),
    proxy_url: config.consoleProxyAddress ?? null,
    edition: config.edition,
  };
}
