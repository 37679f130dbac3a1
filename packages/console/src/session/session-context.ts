import { createContext, use } from 'react';
import type { SignedIn } from '../api/session.ts';
import { type Permissions, readPermissions } from './permissions.ts';

/** Whoever is signed in, for all that is below the sign-in. */
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
