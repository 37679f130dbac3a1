import type { ReactNode } from 'react';
import { formatAgo, formatFullTime, formatMinute, formatTime, formatUtc } from '../../format/format-time.ts';
import { useNow } from './use-now.ts';

const describe = (at: string) => `${formatUtc(at)}\n${formatFullTime(at)}`;

/** On paper, where nothing can be hovered, the style sheet shows day, time and zone instead. */
function Time({ at, print, children }: { at: string; print?: string; children: ReactNode }) {
  return (
    <time dateTime={at} title={describe(at)} data-print={print ?? formatFullTime(at)} className="nowrap">
      <span>{children}</span>
    </time>
  );
}

/** The minute that an entry sums up, which begins at a time. */
export function MinuteStamp({ at }: { at: string }) {
  return (
    <Time at={at} print={`${formatFullTime(at)} to ${formatMinute(at).slice(-5)}:00`}>
      {formatMinute(at)}
    </Time>
  );
}

/** A time in the viewer's zone; UTC on hover. Nothing yet is a dash. */
export function TimeStamp({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="dim">–</span>;
  return <Time at={at}>{formatTime(at)}</Time>;
}

/** How long ago, which goes on by itself; the time on hover. */
export function TimeAgo({ at, never = 'never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow();
  if (!at) return <span className="dim">{never}</span>;
  return <Time at={at}>{formatAgo(Date.parse(at), Math.max(now, Date.parse(at)))}</Time>;
}
