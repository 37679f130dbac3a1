import { Button } from '@mantine/core';
import { ApiFailure } from '../api/api-failure.ts';
import { ShortId } from './values/short-id.tsx';

/** What failed, what the server said, and the request id that finds it in the server's log. */
export function FailureNotice({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const failure = error instanceof ApiFailure ? error : null;
  return (
    <div className="banner" role="alert">
      <div>
        <strong>{failure?.message ?? 'This part of the page failed.'}</strong>
        <div className="small">
          {failure === null ? String(error).slice(0, 300) : failure.call}
          {failure?.status ? ` · status ${failure.status}` : ''}
          {failure?.code ? ` · ${failure.code}` : ''}
          {failure?.requestId && (
            <>
              {' · request '}
              <ShortId id={failure.requestId} what="request id" whole />
            </>
          )}
        </div>
      </div>
      {retry && (
        <Button size="xs" variant="default" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </div>
  );
}
