import { formatAgo, formatFullTime, formatTime, formatUtc } from '../../format/format-time.ts';
import { useNow } from './use-now.ts';

/** A time in the viewer's zone; UTC on hover. Nothing yet is a dash. */
export function TimeStamp({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="dim">–</span>;
  return (
    <time dateTime={at} title={`${formatUtc(at)}\n${formatFullTime(at)}`} className="nowrap">
      {formatTime(at)}
    </time>
  );
}

/** How long ago, which goes on by itself; the time on hover. */
export function TimeAgo({ at, never = 'never' }: { at: string | null | undefined; never?: string }) {
  const now = useNow();
  if (!at) return <span className="dim">{never}</span>;
  return (
    <time dateTime={at} title={`${formatUtc(at)}\n${formatFullTime(at)}`} className="nowrap">
      {formatAgo(Date.parse(at), Math.max(now, Date.parse(at)))}
    </time>
  );
}
