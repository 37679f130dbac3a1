import { type ConsoleRole, type Scope, type Team, writeTeam } from '@agp/core/contracts';
import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { toFailure, toSilence } from './api-failure.ts';
import { type Permissions, readPermissions } from './permissions.ts';

/** Somebody who is signed in. */
interface SignedIn {
  signed_in: true;
  name: string;
  role: ConsoleRole;
  /** `admin` includes the others. */
  scopes: Scope[];
  /** Whose view it has; null for the whole installation. */
  match: Team | null;
  kind: 'api_key' | 'oidc';
  /** UTC, ISO 8601. */
  expires_at: string;
  oidc: boolean;
  /** Where agents send their requests; null if management was not told. */
  proxy_url: string | null;
  edition: 'base' | 'extended';
}

/** What `/console/session` says of this browser. */
export type ConsoleSession = SignedIn | { signed_in: false; oidc: boolean };

export const sessionKey = ['session'] as const;

async function callConsole(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> {
  const call = `${method} ${path}`;
  const init = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await fetch(path, { method, ...init }).catch(() => {
    throw toSilence(call);
  });
  const answer: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) throw toFailure(call, response, answer);
  return answer;
}

/** Who is signed in. Read again now and then, since sessions end by themselves. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: () => callConsole('GET', '/console/session') as Promise<ConsoleSession>,
  refetchInterval: 60_000,
  staleTime: 30_000,
});

/**
 * Signs in by an API key, or by the code of a one-time link.
 * @throws ApiFailure 401 for one that is unknown, used or expired
 */
export function signIn(proof: { api_key: string } | { code: string }): Promise<ConsoleSession> {
  return callConsole('POST', '/console/session', proof) as Promise<ConsoleSession>;
}

/** What a sign-in with the identity provider began with; known to this page and our server alone. */
export interface ProviderFlow {
  state: string;
  nonce: string;
  verifier: string;
}

/** @returns the address at the provider to go to, and what to bring back */
export function beginWithProvider(): Promise<ProviderFlow & { url: string }> {
  return callConsole('POST', '/console/oidc/start', {}) as Promise<ProviderFlow & { url: string }>;
}

/**
 * Signs in by what the provider sent this browser back with.
 * @throws ApiFailure 403 if the provider, or the person's lack of a role, does not allow it
 */
export async function signInWithProvider(proof: ProviderFlow & { answer: string }): Promise<ConsoleSession> {
  await callConsole('POST', '/console/oidc/session', proof);
  return callConsole('GET', '/console/session') as Promise<ConsoleSession>;
}

/** Ends the session in storage too. */
export async function signOut(): Promise<void> {
  await callConsole('DELETE', '/console/session');
}

/** The signed-in person, for all that is below the sign-in. */
export const SessionContext = createContext<SignedIn | null>(null);

/** @throws Error outside of a signed-in page */
export function useSession(): SignedIn {
  const session = use(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return session;
}

/** What the session may do, to `of` if that is given. */
export function usePermissions(of?: { team: Team | null } | null): Permissions {
  return readPermissions(useSession(), of);
}

/** Whose view it is, such as `team=search`; null for the whole installation, and while nobody is signed in. */
export function useView(): string | null {
  const match = use(SessionContext)?.match;
  return match ? writeTeam(match) : null;
}
