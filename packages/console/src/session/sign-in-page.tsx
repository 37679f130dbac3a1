import { Button, Divider, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../api/api-failure.ts';
import { type Session, signIn } from '../api/session.ts';
import { Brand } from '../app/brand.tsx';
import { FailureNotice } from '../components/failure-notice.tsx';
import { goToProvider } from './go-to-provider.ts';

interface Props {
  /** Whether a provider of identities is configured. */
  oidc: boolean;
  /** A session of this page has ended. */
  ended: boolean;
  error: Error | null;
  onSignedIn: (session: Session) => void;
}

const oidcFaults: Record<string, string> = {
  sign_in_denied: 'The identity provider did not let you in.',
  no_role: 'You were recognised, but no role was given to you here. Ask whoever manages the console’s roles.',
  sign_in_failed:
    'Signing in with the identity provider did not work. Try again; the management service’s log says why.',
};

/** Asks who is there: by an API key, or by the identity provider where there is one. */
export function SignInPage({ oidc, ended, error, onSignedIn }: Props) {
  const [key, setKey] = useState('');
  const byKey = useMutation({ mutationFn: (api_key: string) => signIn({ api_key }), onSuccess: onSignedIn });
  const toProvider = useMutation({ mutationFn: goToProvider });
  const failure = byKey.error ?? toProvider.error ?? error;
  const fault = failure instanceof ApiFailure ? oidcFaults[failure.code ?? ''] : undefined;
  useEffect(() => {
    document.title = 'Sign in · Agent Governance Proxy';
  }, []);
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '100vh', padding: '1rem' }}>
      <div className="card" style={{ width: '100%', maxWidth: '25rem', padding: '1.75rem' }}>
        <Stack gap="md">
          <Brand />
          <h1>Sign in</h1>
          {ended && (
            <div className="banner" data-tone="warn" role="status">
              Your session has ended. Sign in to go on where you were.
            </div>
          )}
          {fault && (
            <div className="banner" role="alert">
              {fault}
            </div>
          )}
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
            On your own machine, the terminal of <span className="mono">npm start</span> shows a sign-in link and the
            key.
          </p>
        </Stack>
      </div>
    </main>
  );
}
