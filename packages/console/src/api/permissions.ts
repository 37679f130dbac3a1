import type { Scope, Team } from '@agp/core/contracts';

/** Whose session it is, as far as it decides what it may do. */
interface Holder {
  /** `admin` includes the others. */
  scopes: readonly Scope[];
  /** Null for the whole installation. */
  match: Team | null;
}

/** What is of the whole installation here: the routes that it takes, and the scope of the first. A team's view is refused them. */
export const ofInstallation = {
  pause: { scope: 'write', routes: ['PUT /api/v1/pause'] },
  capsOfAll: { scope: 'write', routes: ['PUT /api/v1/budgets/global', 'PUT /api/v1/budgets/default'] },
  chainOfAll: { scope: 'read', routes: ['GET /api/v1/audit/verify', 'GET /api/v1/audit/chain'] },
  unpriced: { scope: 'read', routes: ['GET /api/v1/costs/unpriced'] },
  keys: {
    scope: 'admin',
    routes: ['GET /api/v1/keys', 'POST /api/v1/keys', 'POST /api/v1/keys/{id}/rotate', 'DELETE /api/v1/keys/{id}'],
  },
  rules: {
    scope: 'read',
    routes: [
      'GET /api/v1/notification-rules',
      'POST /api/v1/notification-rules',
      'POST /api/v1/notification-rules/preview',
      'PUT /api/v1/notification-rules/{id}',
      'DELETE /api/v1/notification-rules/{id}',
      'GET /api/v1/notification-targets',
      'POST /api/v1/notification-targets',
      'PUT /api/v1/notification-targets/{id}',
      'DELETE /api/v1/notification-targets/{id}',
      'POST /api/v1/notification-targets/{id}/test',
      'GET /api/v1/notification-deliveries',
      'POST /api/v1/notification-deliveries/{id}/resend',
    ],
  },
} as const satisfies Record<string, { scope: Scope; routes: readonly string[] }>;

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
  const gates = Object.entries(ofInstallation).map(([name, { scope }]) => [name, match === null && has(scope)]);
  return {
    ...(Object.fromEntries(gates) as Record<OfInstallation, boolean>),
    change: isOwn && has('write'),
    manageTokens: has('admin'),
    govern: isOwn && has('admin'),
    share: match === null && has('admin'),
  };
}
