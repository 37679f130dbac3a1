import { Button, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { Brand } from '../app/brand.tsx';
import { FailureNotice } from '../components/failure-notice.tsx';

interface Props {
  /** Who is signed in already; null where nobody is. */
  current: string | null;
  isBusy: boolean;
  /** Why the link did not work. */
  error: Error | null;
  onAccept: () => void;
  onDecline: () => void;
}

/** Asks whether a one-time link is to sign this browser in. */
export function LinkPage({ current, isBusy, error, onAccept, onDecline }: Props) {
  useEffect(() => {
    document.title = 'Sign in · Agent Governance Proxy';
  }, []);
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '100vh', padding: '1rem' }}>
      <div className="card" style={{ width: '100%', maxWidth: '25rem', padding: '1.75rem' }}>
        <Stack gap="md">
          <Brand />
          <h1>Sign in by this link?</h1>
          {current !== null && (
            <div className="banner" data-tone="warn" role="status">
              <div>
                You are signed in as <strong>{current}</strong>. This link ends that session.
              </div>
            </div>
          )}
          <p style={{ margin: 0 }}>
            It signs this browser in with the key that made the link. Go on only with a link that you asked for.
          </p>
          {error && <FailureNotice error={error} />}
          {error === null && (
            <Button onClick={onAccept} loading={isBusy} autoFocus>
              Sign in by the link
            </Button>
          )}
          <Button variant="default" onClick={onDecline} disabled={isBusy}>
            {current === null ? 'Sign in otherwise' : 'Stay signed in'}
          </Button>
        </Stack>
      </div>
    </main>
  );
}
