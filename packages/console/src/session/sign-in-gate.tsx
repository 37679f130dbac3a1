import { Center, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Session, sessionKey, sessionQuery, signIn } from '../api/session.ts';
import { LinkPage } from './link-page.tsx';
import { SessionContext } from './session-context.ts';
import { SignInPage } from './sign-in-page.tsx';

/**
 * Shows the page to whoever is signed in, and the sign-in to everybody else. The address stays, so that signing in leads on to it.
 *
 * @param code of a one-time link. It is used only when asked for: anybody can make others open a link that signs them in as somebody else.
 */
export function SignInGate({ code, children }: { code: string | null; children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  const [isDeclined, setDeclined] = useState(false);
  const signedIn = session.data?.signed_in === true;
  const enter = (answer: Session) => {
    // Another person may see less: nothing that was read before is shown to them.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    queries.setQueryData(sessionKey, answer);
  };
  const byCode = useMutation({ mutationFn: (given: string) => signIn({ code: given }), onSuccess: enter });
  useEffect(() => {
    if (signedIn) wasSignedIn.current = true;
  }, [signedIn]);

  if (session.isPending)
    return (
      <Center h="100vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  const isOpen = code !== null && !isDeclined && !byCode.isSuccess;
  // Whoever is signed out is led on to the sign-in by a link that does not work.
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
      error={byCode.error ?? session.error}
      onSignedIn={(answer) => {
        enter(answer);
        // The address of the sign-in itself leads nowhere.
        if (window.location.pathname === '/sign-in') window.location.replace('/');
      }}
    />
  );
}
