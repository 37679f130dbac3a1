import type { ChainCheck, CheckedLink } from '@agp/core/lineage';
import { useEffect, useRef, useState } from 'react';
import type { ChainReportState } from './chain-report.tsx';

type Check = Generator<CheckedLink, ChainCheck>;

/** Links between two looks at the page, which stays usable while a long chain is checked: some 10 ms. */
const linksAtOnce = 500;

/**
 * Runs a check in this browser, some links at a time.
 * @param onLinks called with them
 * @throws DOMException `AbortError`
 */
export async function runCheck(
  check: Check,
  onLinks: (links: readonly CheckedLink[]) => void,
  signal: AbortSignal,
): Promise<ChainCheck> {
  for (;;) {
    const links: CheckedLink[] = [];
    let step = check.next();
    for (; !step.done && links.length < linksAtOnce; step = check.next()) links.push(step.value);
    onLinks(step.done ? links : [...links, step.value]);
    if (step.done) return step.value;
    await new Promise<void>((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
}

const most = { first: 100, last: 20 };

/** The first links of a check and its last ones, with the fault: a chain may have a hundred thousand. */
function keepLinks(kept: readonly CheckedLink[], more: readonly CheckedLink[]): readonly CheckedLink[] {
  const all = [...kept, ...more];
  return all.length <= most.first + most.last ? all : [...all.slice(0, most.first), ...all.slice(-most.last)];
}

/** What a check works with while it runs. */
export interface Progress {
  signal: AbortSignal;
  /** @param total links that it has */
  run: (check: Check, total: number) => Promise<ChainCheck>;
}

/** What a check found: in the chain, and beside it. */
export type Finding = ChainCheck & { otherFault?: string | null };

type State = { kind: 'idle' } | { kind: 'failed'; error: unknown } | { kind: 'report'; report: ChainReportState };

/** What is true of a chain in this state: the heading above its report. */
export function nameCheck(state: State): string {
  if (state.kind !== 'report') return 'Not verified yet';
  const { kind, checked, removed = 0 } = state.report;
  if (kind === 'whole' && checked === 0 && removed > 0) return 'Nothing is left to verify';
  return {
    running: 'Being verified in this browser',
    whole: 'Verified in this browser',
    broken: 'Verified in this browser: not as it was written',
  }[kind];
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
        run: (links, total) => {
          show({ total, checked: 0, steps: [] });
          const onLinks = (more: readonly CheckedLink[]) =>
            show({ checked: report.checked + more.length, steps: keepLinks(report.steps, more) });
          return runCheck(links, onLinks, stop.signal);
        },
      });
      const isWhole = divergence === null && !otherFault;
      show({
        kind: isWhole ? 'whole' : 'broken',
        checked,
        ...(divergence ? { fault: divergence } : { head: head.hash, removed: head.length - report.total }),
        ...(otherFault && { otherFault }),
      });
    } catch (error) {
      if (!stop.signal.aborted) setState({ kind: 'failed', error });
    }
  };
  return { state, start };
}
