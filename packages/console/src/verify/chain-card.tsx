import { checkServedChain, findRemovalFault } from '@agp/core/lineage';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { callApi, fetchFile } from '../api/api.ts';
import { Download } from '../components/export.tsx';
import { FailureNotice } from '../components/feedback.tsx';
import { Card } from '../components/layout.tsx';
import { ChainReport } from './chain-report.tsx';
import { type Finding, nameCheck, type Progress, useChainCheck } from './use-chain-check.ts';

interface DownloadChainProps {
  /** The API's answers, each a line of the file as it came: what the scripts in docs/lineage.md read. */
  paths: readonly `/api/v1/${string}`[];
  /** The file's name. */
  name: string;
}

/** The answers one after the other. */
async function readLines(paths: DownloadChainProps['paths']): Promise<Blob> {
  const answers: Blob[] = [];
  for (const path of paths) answers.push(await fetchFile(path));
  const type = paths.length === 1 ? 'application/json' : 'application/jsonl';
  return new Blob(
    answers.flatMap((answer) => [answer, '\n']),
    { type },
  );
}

interface ChainCardProps {
  check: ReturnType<typeof useChainCheck>;
  /** The check's state, if not given. */
  title?: string;
  /** What a link of the chain is. */
  noun: string;
  /** On the button, before the first check and after it. */
  words: readonly [first: string, again: string];
  /** What a check would do. */
  idle: ReactNode;
  download?: DownloadChainProps;
  /** Without each step of the check. */
  brief?: boolean;
}

/** A chain of hashes, computed anew in this browser when asked for. */
export function ChainCard(props: ChainCardProps) {
  const { check, title, noun, words, idle, download, brief = false } = props;
  const { state, start } = check;
  const report = state.kind === 'report' ? state.report : null;
  return (
    <Card
      title={title ?? nameCheck(state)}
      aside={
        <span style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
          {download && (
            <Download
              read={() => readLines(download.paths)}
              name={download.name}
              label="Download the chain"
              title="With the exact text of each hash, to check it without this page"
              size="xs"
            />
          )}
          <Button
            size="xs"
            variant="default"
            className="no-print"
            onClick={() => void start()}
            loading={report?.kind === 'running'}
          >
            {words[state.kind === 'idle' ? 0 : 1]}
          </Button>
        </span>
      }
    >
      {state.kind === 'idle' && <span className="dim">{idle}</span>}
      {state.kind === 'failed' && <FailureNotice error={state.error} />}
      {report && <ChainReport state={brief ? { ...report, steps: [] } : report} noun={noun} />}
    </Card>
  );
}

/**
 * Downloads the audit log's chain, computes every hash in this browser, and compares its end with its head, and what retention removed with
 * what the log says.
 */
export async function checkAudit(progress: Progress, isLastTry = false): Promise<Finding> {
  const { signal, run } = progress;
  const { data: told } = await callApi('get', '/api/v1/audit/verify', { signal });
  const { data: chain } = await callApi('get', '/api/v1/audit/chain', { signal });
  const check = await run(checkServedChain(told, chain.entries), chain.entries.length);
  if (check.divergence !== null) return check;
  const { data: anchors } = await callApi('get', '/api/v1/lineage/removals', { signal });
  const otherFault = findRemovalFault(chain.entries, anchors);
  // Events may have been removed between the two downloads. That does not happen twice in a row.
  if (otherFault !== null && !isLastTry) return checkAudit(progress, true);
  return { ...check, otherFault };
}

export function AuditChain() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      noun="entry"
      words={['Verify the whole log', 'Verify again']}
      idle="Downloads the whole log, computes every hash here, and compares what was removed for its age with what the log says."
      download={{ paths: ['/api/v1/audit/chain'], name: 'audit-log.json' }}
    />
  );
}
