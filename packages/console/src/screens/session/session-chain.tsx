import { Button } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Card } from '../../components/card.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { countOf } from '../../format/format-count.ts';
import { ChainReport } from '../../verify/chain-report.tsx';
import { DownloadChain } from '../../verify/download-chain.tsx';
import { canHash } from '../../verify/hash-text.ts';
import { NoHashing } from '../../verify/no-hashing.tsx';
import { nameCheck, useChainCheck } from '../../verify/use-chain-check.ts';
import { checkSession } from './check-session.ts';

/** Up to here the chain is checked without being asked for. */
const mostUnasked = 2_000;

/** The session's chain of hashes, computed anew in this browser. */
export function SessionChain({ sessionId, eventCount }: { sessionId: string; eventCount: number }) {
  const { state, start } = useChainCheck((progress) => checkSession(sessionId, progress));
  const wanted = useLocation({ select: ({ hash }) => hash === 'chain' });
  const place = useRef<HTMLDivElement>(null);
  const begun = useRef<string | null>(null);
  useEffect(() => {
    if (wanted) place.current?.scrollIntoView();
    if (!canHash() || begun.current === sessionId || (eventCount > mostUnasked && !wanted)) return;
    begun.current = sessionId;
    void start();
  });
  // Whatever was begun ends with the screen.
  useEffect(() => {
    return () => {
      begun.current = null;
    };
  }, []);
  const again = (
    <Button
      size="xs"
      variant="default"
      className="no-print"
      onClick={() => void start()}
      loading={state.kind === 'report' && state.report.kind === 'running'}
    >
      {state.kind === 'idle' ? 'Verify' : 'Verify again'}
    </Button>
  );
  return (
    <div id="chain" ref={place} style={{ scrollMarginTop: '5rem' }}>
      <Card
        title={nameCheck(state)}
        aside={
          <span style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
            <DownloadChain
              paths={[`/api/v1/lineage/${sessionId}`, `/api/v1/lineage/${sessionId}/removed`]}
              name={`${sessionId}.jsonl`}
            />
            {canHash() && again}
          </span>
        }
      >
        {!canHash() && <NoHashing command={`npm run agp -- sessions verify ${sessionId}`} />}
        {canHash() && state.kind === 'idle' && (
          <span className="dim">Downloads {countOf(eventCount, 'payload')} and computes every hash here.</span>
        )}
        {state.kind === 'failed' && <FailureNotice error={state.error} />}
        {state.kind === 'report' && <ChainReport state={state.report} noun="event" />}
      </Card>
    </div>
  );
}
