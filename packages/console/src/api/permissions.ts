import type { Scope, Team } from '@agp/core/contracts';

/** Whose session it is, as far as it decides what it may do. */
interface Holder {
  /** `admin` includes the others. */
  scopes: readonly Scope[];
  /** Null for the whole installation. */
  match: Team | null;
}

/**
 * What is of the whole installation here: the scope that it takes at least, and what is in all of its routes. The API refuses them to a
 * team's view.
 */
export const ofInstallation = {
  pause: ['write', 'PUT /api/v1/pause'],
  capsOfAll: ['write', 'PUT /api/v1/budgets/global', 'PUT /api/v1/budgets/default'],
  chainOfAll: ['read', 'GET /api/v1/audit/verify', 'GET /api/v1/audit/chain'],
  invoice: ['read', 'GET /api/v1/costs/reconciliation'],
  identities: ['read', ' /api/v1/identities'],
  keys: ['admin', ' /api/v1/keys'],
  releaseNames: ['admin', 'DELETE /api/v1/claimed-names/'],
  rules: ['read', ' /api/v1/notification-'],
} as const satisfies Record<string, readonly [Scope, ...string[]]>;

export type OfInstallation = keyof typeof ofInstallation;

/** What a session may do: a button for anything else would only fail. */
export interface Permissions extends Record<OfInstallation, boolean> {
  /** Block, caps, limits, budgets. */
  change: boolean;
  /** Agent tokens and claimed names. */
  manageTokens: boolean;
  /** Policies, and where alerts go. */
  govern: boolean;
  /** Saves views for all. */
  share: boolean;
}

/** @param of what is to be changed, if a team may have made it: a team's session changes its own alone */
export function readPermissions({ scopes, match }: Holder, of?: { team: Team | null } | null): Permissions {
  const has = (scope: Scope) => scopes.includes('admin') || scopes.includes(scope);
  const isOwn = match === null || of?.team !== null;
  const gates = Object.entries(ofInstallation).map(([name, [scope]]) => [name, match === null && has(scope)]);
  return {
    ...(Object.fromEntries(gates) as Record<OfInstallation, boolean>),
    change: isOwn && has('write'),
    manageTokens: has('admin'),
    govern: isOwn && has('admin'),
    share: match === null && has('admin'),
  };
}
