import { Button } from '@mantine/core';
import { Card } from '../../components/card.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { ChainReport } from '../../verify/chain-report.tsx';
import { DownloadChain } from '../../verify/download-chain.tsx';
import { canHash } from '../../verify/hash-text.ts';
import { NoHashing } from '../../verify/no-hashing.tsx';
import { nameCheck, useChainCheck } from '../../verify/use-chain-check.ts';
import { checkAudit } from './check-audit.ts';

/** The audit log's chain of hashes, computed anew in this browser. */
export function AuditChain() {
  const { state, start } = useChainCheck(checkAudit);
  const isRunning = state.kind === 'report' && state.report.kind === 'running';
  return (
    <Card
      title={nameCheck(state)}
      aside={
        <span style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
          <DownloadChain paths={['/api/v1/audit/chain']} name="audit-log.json" />
          {canHash() && (
            <Button size="xs" variant="default" className="no-print" onClick={() => void start()} loading={isRunning}>
              {state.kind === 'idle' ? 'Verify the whole log' : 'Verify again'}
            </Button>
          )}
        </span>
      }
    >
      {!canHash() && <NoHashing command="npm run agp -- audit verify" />}
      {canHash() && state.kind === 'idle' && (
        <span className="dim">
          Downloads the whole log, computes every hash here, and compares what was removed for its age with what the log
          says.
        </span>
      )}
      {state.kind === 'failed' && <FailureNotice error={state.error} />}
      {state.kind === 'report' && <ChainReport state={state.report} noun="entry" />}
    </Card>
  );
}
