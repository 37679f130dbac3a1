import { createContext, use } from 'react';
import type { SignedIn } from './session.ts';

/** What the session may do: a button for anything else would only fail. */
interface Permissions {
  /** Block, pause, caps, limits. */
  change: boolean;
  /** Keys to the API, agent tokens and claimed names. */
  manageKeys: boolean;
  /** Policies. */
  govern: boolean;
}

/** @returns what the scopes of the session allow */
function readPermissions({ scopes }: Pick<SignedIn, 'scopes'>): Permissions {
  const isAdmin = scopes.includes('admin');
  return { change: isAdmin || scopes.includes('write'), manageKeys: isAdmin, govern: isAdmin };
}

/** The signed-in person, for all that is below the sign-in. */
export const SessionContext = createContext<SignedIn | null>(null);

/** @throws Error outside of a signed-in page */
export function useSession(): SignedIn {
  const session = use(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

export function usePermissions(): Permissions {
  return readPermissions(useSession());
}
