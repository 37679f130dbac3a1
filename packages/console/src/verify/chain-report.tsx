import { countOf, formatCount } from '@agp/core/explain';
import type { CheckedLink } from '@agp/core/lineage';
import { Banner } from '../components/layout.tsx';
import { Pill, ShortId } from '../components/values.tsx';

/** What the check of a chain has found so far. */
export interface ChainReportState {
  kind: 'running' | 'whole' | 'broken';
  checked: number;
  total: number;
  /** Links that were removed for their age. */
  removed?: number;
  head?: string;
  /** The place of the fault and what is wrong, if there is one. */
  fault?: { seq: number; reason: string };
  /** Where the fault is outside of the chain, such as in what retention removed. */
  otherFault?: string | null;
  /** The first links, and those around a fault. */
  steps: readonly CheckedLink[];
}

function Verdict({ state, noun }: { state: ChainReportState; noun: string }) {
  const { kind, checked, total, removed = 0, fault, otherFault } = state;
  if (kind === 'running')
    return (
      <Banner tone="warn">
        Checking {formatCount(checked)} of {formatCount(total)} …
      </Banner>
    );
  if (fault)
    return (
      <Banner>
        <strong>The chain breaks at number {fault.seq}:</strong> {fault.reason}. The {countOf(fault.seq, noun)} before
        it {fault.seq === 1 ? 'is as it was' : 'are as they were'} written; what follows cannot be relied on.
      </Banner>
    );
  if (otherFault)
    return (
      <Banner>
        <strong>Something was removed that should not be gone:</strong> {otherFault}.
      </Banner>
    );
  if (removed > 0 && checked === 0)
    return (
      <Banner tone="plain">
        <strong>{countOf(removed, noun)} removed for their age.</strong> Only their last hash is left: what they were
        cannot be checked any more.
      </Banner>
    );
  return (
    <Banner tone="good">
      <strong>As it was written{removed > 0 && ', as far as it is kept'}.</strong> This browser computed{' '}
      {countOf(checked, 'hash', 'hashes')}, and {checked === 1 ? 'it' : 'each'} is the one that was recorded.
      {removed > 0 && ` ${countOf(removed, noun)} before were removed for their age; only their last hash is left.`}
    </Banner>
  );
}

/** The beginning of a hash, all of it on paper. */
function CutHash({ hash }: { hash: string }) {
  return (
    <span className="mono" title={hash} data-print={hash}>
      <span>{hash.slice(0, 19)}…</span>
    </span>
  );
}

function Step({ step }: { step: CheckedLink }) {
  const isWrong = step.fault !== null;
  return (
    <li data-fault={isWrong}>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.25rem 0.75rem', alignItems: 'center' }}>
        <strong>{step.seq}</strong>
        <ShortId id={step.id} />
        <Pill tone={isWrong ? 'bad' : 'good'}>{isWrong ? 'changed' : 'as written'}</Pill>
      </div>
      <div className="small dim">
        SHA-256({step.previous === 'genesis' ? 'genesis' : <CutHash hash={step.previous} />} + payload) ={' '}
        <CutHash hash={step.computed} />
        {step.computed === step.shown ? (
          ' = recorded'
        ) : (
          <span className="tone-bad">
            {' '}
            ≠ recorded <CutHash hash={step.shown} />
          </span>
        )}
      </div>
      {isWrong && <div className="tone-bad">{step.fault}</div>}
      <details className="small no-print">
        <summary>Payload</summary>
        <pre className="code-block">{step.payload}</pre>
      </details>
    </li>
  );
}

/** What the check of a chain found, and each of its steps. */
export function ChainReport({ state, noun }: { state: ChainReportState; noun: string }) {
  const { steps, checked, head } = state;
  const left = checked - steps.length;
  return (
    <div style={{ display: 'grid', gap: '0.75rem' }}>
      <div role="status">
        <Verdict state={state} noun={noun} />
      </div>
      {head !== undefined && (
        <div className="small">
          Head: <ShortId id={head} what="head" whole />
          <div className="dim">
            Keep it where this system cannot reach it: a chain that no longer has it was changed or cut.
          </div>
        </div>
      )}
      {steps.length > 0 && (
        <details open={state.kind === 'broken'}>
          <summary>Each step{left > 0 && `: ${formatCount(steps.length)} of ${formatCount(checked)}`}</summary>
          <ol className="chain-steps">
            {steps.map((step) => (
              <Step key={`${step.seq} ${step.id}`} step={step} />
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
