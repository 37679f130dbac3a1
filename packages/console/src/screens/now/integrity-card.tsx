import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { ChainReport } from '../../verify/chain-report.tsx';
import { canHash } from '../../verify/hash-text.ts';
import { useChainCheck } from '../../verify/use-chain-check.ts';
import { checkAudit } from '../audit/check-audit.ts';

/** Whether the audit log is as it was written, by this browser's own computing. */
export function IntegrityCard() {
  const { state, start } = useChainCheck(checkAudit);
  const isRunning = state.kind === 'report' && state.report.kind === 'running';
  return (
    <Card
      title="Integrity"
      aside={
        canHash() && (
          <Button size="xs" variant="default" onClick={() => void start()} loading={isRunning}>
            {state.kind === 'idle' ? 'Check the audit log' : 'Check again'}
          </Button>
        )
      }
    >
      {state.kind === 'idle' && (
        <span className="dim">
          {canHash()
            ? 'This browser downloads the audit log and computes every hash itself. Sessions are checked on their own pages.'
            : 'This browser hashes only on https pages and on this machine: see the audit log for how to check it.'}
        </span>
      )}
      {state.kind === 'failed' && <FailureNotice error={state.error} />}
      {state.kind === 'report' && <ChainReport state={{ ...state.report, steps: [] }} noun="entry" />}
      <div className="small" style={{ marginTop: '0.5rem' }}>
        <Link to="/audit">Audit log</Link>
      </div>
    </Card>
  );
}
