import { Button, Center, Divider, Loader, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiFailure } from '../api/api-failure.ts';
import {
  beginWithProvider,
  type ConsoleSession,
  type ProviderFlow,
  SessionContext,
  sessionKey,
  sessionQuery,
  signIn,
  signInWithProvider,
} from '../api/session.ts';
import { FailureNotice } from '../components/feedback.tsx';
import { Banner, Brand } from '../components/layout.tsx';

const place = 'agp-console-provider';
/** The address that somebody asked for who was not signed in: a link to sign in leads there. */
const askedPlace = 'agp-console-asked';

/** What this page keeps while its person is at the provider. Storage is kept apart by origin, ports included, as cookies are not. */
interface KeptFlow extends ProviderFlow {
  /** Path of the page to go on with. */
  returnTo: string;
}

/**
 * Leaves for the identity provider.
 * @throws ApiFailure if it cannot be used
 */
async function goToProvider(): Promise<void> {
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
type SignInProof = { code: string } | ProviderAnswer;

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
  const { pathname, search, hash, origin } = window.location;
  if (pathname !== '/sign-in') {
    localStorage.setItem(askedPlace, pathname + search);
    return null;
  }
  const given = new URLSearchParams(hash.slice(1));
  const [code, answer] = [given.get('code'), given.get('answer')];
  const kept = answer === null ? null : takeKeptFlow();
  const returnTo = kept?.returnTo ?? localStorage.getItem(askedPlace) ?? '/';
  if (hash !== '') window.history.replaceState(null, '', `${origin}${returnTo}`);
  if (answer === null) return code === null || code === '' ? null : { code };
  if (kept === null) return { answer, flow: null };
  const { returnTo: _, ...flow } = kept;
  return { answer, flow };
}

/** @throws ApiFailure for an answer that is unknown, used, expired, or belongs to nothing that this browser began */
async function redeemAnswer({ answer, flow }: ProviderAnswer): Promise<ConsoleSession> {
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

function DoorPage({ heading, children }: { heading: string; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Sign in · Agent Governance Proxy';
  }, []);
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '100vh', padding: '1rem' }}>
      <div className="card" style={{ width: '100%', maxWidth: '25rem', padding: '1.75rem' }}>
        <Stack gap="md">
          <Brand />
          <h1>{heading}</h1>
          {children}
        </Stack>
      </div>
    </main>
  );
}

interface LinkPageProps {
  /** Who is signed in already; null if nobody is. */
  current: string | null;
  isBusy: boolean;
  /** Why the link did not work. */
  error: Error | null;
  onAccept: () => void;
  onDecline: () => void;
}

function LinkPage({ current, isBusy, error, onAccept, onDecline }: LinkPageProps) {
  return (
    <DoorPage heading="Sign in with this link?">
      {current !== null && (
        <Banner tone="warn" role="status">
          You are signed in as <strong>{current}</strong>. This link ends that session.
        </Banner>
      )}
      <p style={{ margin: 0 }}>
        It signs this browser in with the key that made the link. Go on only with a link that you asked for.
      </p>
      {error && <FailureNotice error={error} />}
      {error === null && (
        <Button onClick={onAccept} loading={isBusy} autoFocus>
          Sign in with the link
        </Button>
      )}
      <Button variant="default" onClick={onDecline} disabled={isBusy}>
        {current === null ? 'Sign in another way' : 'Stay signed in'}
      </Button>
    </DoorPage>
  );
}

interface SignInPageProps {
  /** Whether a provider of identities is configured. */
  oidc: boolean;
  /** A session of this page has ended. */
  ended: boolean;
  error: Error | null;
  onSignedIn: (session: ConsoleSession) => void;
}

const oidcFaults: Record<string, string> = {
  sign_in_denied: 'The identity provider did not let you in.',
  no_role: 'You were recognised, but no role was given to you here. Ask for one where the console’s roles are managed.',
  sign_in_failed:
    'Signing in with the identity provider did not work. Try again; the management service’s log says why.',
};

function SignInPage({ oidc, ended, error, onSignedIn }: SignInPageProps) {
  const [key, setKey] = useState('');
  const byKey = useMutation({ mutationFn: (api_key: string) => signIn({ api_key }), onSuccess: onSignedIn });
  const toProvider = useMutation({ mutationFn: goToProvider });
  const failure = byKey.error ?? toProvider.error ?? error;
  const fault = failure instanceof ApiFailure ? oidcFaults[failure.code ?? ''] : undefined;
  return (
    <DoorPage heading="Sign in">
      {ended && (
        <Banner tone="warn" role="status">
          Your session has ended. Sign in to go on where you were.
        </Banner>
      )}
      {fault && <Banner role="alert">{fault}</Banner>}
      {failure && !fault && <FailureNotice error={failure} />}
      {oidc && (
        <>
          <Button onClick={() => toProvider.mutate()} loading={toProvider.isPending}>
            Sign in with your organisation
          </Button>
          <Divider label="or" />
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '') byKey.mutate(key.trim());
        }}
      >
        <Stack gap="md">
          <PasswordInput
            label="API key"
            description="Begins with agm_. It is sent once and not kept in this browser."
            placeholder="agm_…"
            autoComplete="off"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
            autoFocus
          />
          <Button type="submit" variant={oidc ? 'default' : 'filled'} loading={byKey.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <p className="small dim" style={{ margin: 0 }}>
        On your own machine, the terminal of <span className="mono">npm start</span> shows a sign-in link and the key.
      </p>
    </DoorPage>
  );
}

/** Shows the page to somebody signed in, else the sign-in. A link's code is used only when asked for: others may have sent the link. */
export function SignInGate({ proof, children }: { proof: SignInProof | null; children: ReactNode }) {
  const code = proof !== null && 'code' in proof ? proof.code : null;
  const answered = proof !== null && 'answer' in proof ? proof : null;
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  const [isDeclined, setDeclined] = useState(false);
  const signedIn = session.data?.signed_in === true;
  const enter = (answer: ConsoleSession) => {
    // Another person may see less: nothing that was read before is shown to them.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    queries.setQueryData(sessionKey, answer);
  };
  const byCode = useMutation({ mutationFn: (given: string) => signIn({ code: given }), onSuccess: enter });
  const byAnswer = useMutation({ mutationFn: redeemAnswer, onSuccess: enter });
  const { mutate } = byAnswer;
  const used = useRef(false);
  useEffect(() => {
    if (answered === null || used.current) return;
    // Effects run twice while developing, and an answer works once.
    used.current = true;
    mutate(answered);
  }, [answered, mutate]);
  useEffect(() => {
    if (signedIn) wasSignedIn.current = true;
    if (signedIn) localStorage.removeItem(askedPlace);
  }, [signedIn]);

  if (session.isPending || (answered !== null && (byAnswer.isIdle || byAnswer.isPending)))
    return (
      <Center h="100vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  const isOpen = code !== null && !isDeclined && !byCode.isSuccess;
  // A link that does not work leads a signed-out person on to the sign-in.
  if (isOpen && session.data && (signedIn || !byCode.isError))
    return (
      <LinkPage
        current={session.data.signed_in ? session.data.name : null}
        isBusy={byCode.isPending}
        error={byCode.error}
        onAccept={() => byCode.mutate(code)}
        onDecline={() => {
          byCode.reset();
          setDeclined(true);
        }}
      />
    );
  if (session.data?.signed_in) return <SessionContext value={session.data}>{children}</SessionContext>;
  return (
    <SignInPage
      oidc={session.data?.oidc ?? false}
      ended={wasSignedIn.current}
      error={byCode.error ?? byAnswer.error ?? session.error}
      onSignedIn={(answer) => {
        enter(answer);
        // The address of the sign-in itself leads nowhere.
        if (window.location.pathname === '/sign-in') window.location.replace('/');
      }}
    />
  );
}
