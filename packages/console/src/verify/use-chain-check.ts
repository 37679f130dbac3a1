import type { Divergence } from '@agp/core/chain';
import { useEffect, useRef, useState } from 'react';
import type { ChainReportState } from './chain-report.tsx';
import { type ChainCheck, type CheckedLink, keepSteps } from './check-chain.ts';

/** What a check tells while it runs. */
export interface Progress {
  signal: AbortSignal;
  onTotal: (total: number) => void;
  onSteps: (steps: readonly CheckedLink[]) => void;
}

/** What a check found: in the chain, and beside it. */
export type Finding = ChainCheck & { divergence: Divergence | null; otherFault?: string | null };

type State = { kind: 'idle' } | { kind: 'failed'; error: unknown } | { kind: 'report'; report: ChainReportState };

/** What is true of a chain in this state: the heading above its report. */
export function nameCheck(state: State): string {
  if (state.kind !== 'report') return 'Not verified yet';
  return {
    running: 'Being verified in this browser',
    whole: 'Verified in this browser',
    broken: 'Verified in this browser: not as it was written',
  }[state.report.kind];
}

/** Runs a check of a chain when it is asked for, and keeps what it found until the screen is left. */
export function useChainCheck(check: (progress: Progress) => Promise<Finding>) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    let report: ChainReportState = { kind: 'running', checked: 0, total: 0, steps: [] };
    const show = (next: Partial<ChainReportState>) => {
      report = { ...report, ...next };
      if (!stop.signal.aborted) setState({ kind: 'report', report });
    };
    show({});
    try {
      const { checked, divergence, head, otherFault } = await check({
        signal: stop.signal,
        onTotal: (total) => show({ total }),
        onSteps: (steps) => show({ checked: report.checked + steps.length, steps: keepSteps(report.steps, steps) }),
      });
      const isWhole = divergence === null && !otherFault;
      show({
        kind: isWhole ? 'whole' : 'broken',
        checked,
        ...(divergence ? { fault: divergence } : { head: head.hash }),
        ...(otherFault && { otherFault }),
      });
    } catch (error) {
      if (!stop.signal.aborted) setState({ kind: 'failed', error });
    }
  };
  return { state, start };
}
