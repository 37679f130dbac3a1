import { Center, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Session, sessionKey, sessionQuery, signIn } from '../api/session.ts';
import { LinkPage } from './link-page.tsx';
import { SessionContext } from './session-context.ts';
import { SignInPage } from './sign-in-page.tsx';
import { redeemAnswer, type SignInProof } from './take-sign-in-proof.ts';

/**
 * Shows the page to whoever is signed in, and the sign-in to everybody else. The address stays, so that signing in leads on to it.
 *
 * @param proof the code of a one-time link, or the provider's answer. A code is used only when asked for: anybody can make others open a link that signs them in as somebody else.
 */
export function SignInGate({ proof, children }: { proof: SignInProof | null; children: ReactNode }) {
  const code = proof !== null && 'code' in proof ? proof.code : null;
  const answered = proof !== null && 'answer' in proof ? proof : null;
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
  }, [signedIn]);

  if (session.isPending || (answered !== null && (byAnswer.isIdle || byAnswer.isPending)))
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
      error={byCode.error ?? byAnswer.error ?? session.error}
      onSignedIn={(answer) => {
        enter(answer);
        // The address of the sign-in itself leads nowhere.
        if (window.location.pathname === '/sign-in') window.location.replace('/');
      }}
    />
  );
}
