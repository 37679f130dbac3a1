import { ApiFailure } from '../api/api-failure.ts';
import { beginWithProvider, type ConsoleSession, type ProviderFlow, signInWithProvider } from '../api/session.ts';

const place = 'agp-console-provider';

/** What this page keeps while its person is at the provider. Storage is kept apart by origin, ports included, as cookies are not. */
interface KeptFlow extends ProviderFlow {
  /** Path of the page to go on with. */
  returnTo: string;
}

/**
 * Leaves for the identity provider.
 * @throws ApiFailure if it cannot be used
 */
export async function goToProvider(): Promise<void> {
  const { url, ...flow } = await beginWithProvider();
  const { pathname, search } = window.location;
  const returnTo = pathname === '/sign-in' ? '/' : pathname + search;
  localStorage.setItem(place, JSON.stringify({ ...flow, returnTo } satisfies KeptFlow));
  window.location.assign(url);
}

function takeKeptFlow(): KeptFlow | null {
  try {
    const kept = localStorage.getItem(place);
    localStorage.removeItem(place);
    return kept === null ? null : (JSON.parse(kept) as KeptFlow);
  } catch {
    return null;
  }
}

/** What an address brings to sign in with: the code of a link, or the identity provider's answer, with what this browser began, if it did. */
export type SignInProof = { code: string } | ProviderAnswer;

interface ProviderAnswer {
  answer: string;
  flow: ProviderFlow | null;
}

/**
 * The code of a one-time sign-in link (`/sign-in#code=...`), or the provider's answer (`/sign-in#answer=...`), which is removed from the
 * address at once. What stands behind `#` is never sent to a server.
 * @returns null if the address is neither
 */
export function takeSignInProof(): SignInProof | null {
  const { pathname, hash, origin } = window.location;
  if (pathname !== '/sign-in') return null;
  const given = new URLSearchParams(hash.slice(1));
  const [code, answer] = [given.get('code'), given.get('answer')];
  const kept = answer === null ? null : takeKeptFlow();
  if (hash !== '') window.history.replaceState(null, '', `${origin}${kept?.returnTo ?? '/'}`);
  if (answer === null) return code === null || code === '' ? null : { code };
  if (kept === null) return { answer, flow: null };
  const { returnTo: _, ...flow } = kept;
  return { answer, flow };
}

/** @throws ApiFailure for an answer that is unknown, used, expired, or belongs to nothing that this browser began */
export async function redeemAnswer({ answer, flow }: ProviderAnswer): Promise<ConsoleSession> {
  // Somebody else began it: the answer is for them, or a trick to sign this person in as another.
  if (flow === null || new URLSearchParams(answer).get('state') !== flow.state) throw notBegunHere();
  return signInWithProvider({ answer, ...flow });
}

const notBegunHere = () =>
  new ApiFailure('This sign-in was not begun here.', {
    call: 'POST /console/oidc/session',
    status: null,
    code: 'sign_in_failed',
    requestId: null,
  });
