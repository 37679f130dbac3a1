import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Status } from '../../api/shapes.ts';
import { countOf } from '../../format/format-count.ts';
import { formatUsd } from '../../format/format-money.ts';

interface Matter {
  key: string;
  tone: 'bad' | 'warn';
  text: ReactNode;
}

/** What somebody should look at, the worst first. */
function listMatters({ spend, recording, unpriced_models: unpriced }: Status): Matter[] {
  const matters: Matter[] = [];
  const cap = spend?.daily_cap_usd;
  if (spend && typeof cap === 'number' && spend.spent_usd >= 0.8 * cap)
    matters.push({
      key: 'cap',
      tone: spend.spent_usd >= cap && !spend.warn_only ? 'bad' : 'warn',
      text: (
        <>
          All agents together have spent {formatUsd(spend.spent_usd)} of {formatUsd(cap)} today.{' '}
          <Link to="/budgets">Raise the cap or see who spends</Link>
        </>
      ),
    });
  if (spend && spend.agents_near_cap_count > 0)
    matters.push({
      key: 'near',
      tone: 'warn',
      text: (
        <>
          {countOf(spend.agents_near_cap_count, 'agent has', 'agents have')} spent 80% or more of the daily cap.{' '}
          <Link to="/budgets">Budgets</Link>
        </>
      ),
    });
  if (recording && recording.quarantine_waiting > 0)
    matters.push({
      key: 'quarantine',
      tone: 'bad',
      text: (
        <>
          {countOf(recording.quarantine_waiting, 'message was', 'messages were')} set aside and not recorded. Look at
          them with <span className="mono">npm run quarantine</span>.
        </>
      ),
    });
  if (unpriced && unpriced.count > 0)
    matters.push({
      key: 'unpriced',
      tone: 'warn',
      text: (
        <>
          {countOf(unpriced.count, 'model has', 'models have')} no price: calls of{' '}
          {unpriced.count === 1 ? 'it' : 'them'} are recorded with cost 0.{' '}
          <Link to="/costs" search={{ view: 'unpriced' }}>
            Unpriced models
          </Link>
        </>
      ),
    });
  return matters.toSorted((a, b) => (a.tone === b.tone ? 0 : a.tone === 'bad' ? -1 : 1));
}

/** What should be looked at; nothing where all is well. */
export function Attention({ status }: { status: Status }) {
  const matters = listMatters(status);
  if (matters.length === 0) return null;
  return (
    <section aria-label="To look at" style={{ display: 'grid', gap: '0.5rem' }}>
      {matters.map(({ key, tone, text }) => (
        <div key={key} className="banner" data-tone={tone}>
          <div>{text}</div>
        </div>
      ))}
    </section>
  );
}
