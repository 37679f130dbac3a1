import { Center, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { sessionKey, sessionQuery, signIn } from '../api/session.ts';
import { SessionContext } from './session-context.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Shows the page to whoever is signed in, and the sign-in to everybody else. The address stays, so that signing in leads on to it. */
export function SignInGate({ code, children }: { code: string | null; children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  const byCode = useMutation({
    mutationFn: (given: string) => signIn({ code: given }),
    onSuccess: (answer) => queries.setQueryData(sessionKey, answer),
  });
  const { mutate } = byCode;
  const used = useRef(false);
  useEffect(() => {
    if (code === null || used.current) return;
    // Effects run twice while developing, and a code works once.
    used.current = true;
    mutate(code);
  }, [code, mutate]);
  const signedIn = session.data?.signed_in === true;
  useEffect(() => {
    if (signedIn) wasSignedIn.current = true;
  }, [signedIn]);

  if (session.data?.signed_in) return <SessionContext value={session.data}>{children}</SessionContext>;
  const isTrying = code !== null && (byCode.isPending || (byCode.isIdle && byCode.error === null));
  if (session.isPending || isTrying)
    return (
      <Center h="100vh">
        <Loader aria-label="Loading" />
      </Center>
    );
  return (
    <SignInPage
      oidc={session.data?.oidc ?? false}
      ended={wasSignedIn.current}
      error={byCode.error ?? session.error}
      onSignedIn={(answer) => {
        // Another person may see less: nothing that was read before is shown to them.
        queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
        queries.setQueryData(sessionKey, answer);
        // The address of the sign-in itself leads nowhere.
        if (window.location.pathname === '/sign-in') window.location.replace('/');
      }}
    />
  );
}
