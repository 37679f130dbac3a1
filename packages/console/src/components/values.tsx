import type { AgentOverview } from '@agp/core/contracts';
import { describeOutcome, formatCount, formatUsd, formatUtc, type Tone } from '@agp/core/explain';
import { shortenId } from '@agp/core/text';
import { ActionIcon, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useSyncExternalStore } from 'react';
import { useSession } from '../api/session.ts';
import { formatAgo, formatFullTime, formatLocalTime, formatMinute, roundUsd } from '../format/format.ts';
import type { EventsSearch } from '../search/screen-searches.ts';

interface FieldsProps {
  /** Values by their names; null is a dash. */
  fields: Readonly<Record<string, ReactNode>>;
  /** The names of those that no hash covers. */
  starred?: readonly string[];
}

/** Names and values, one below the other. */
export function Fields({ fields, starred = [] }: FieldsProps) {
  return (
    <dl className="fields">
      {Object.entries(fields).map(([name, value]) => (
        <Fragment key={name}>
          <dt>
            {starred.includes(name) ? (
              <span title="No hash covers this: the database alone vouches for it">
                {name} <span aria-hidden>*</span>
                <span className="visually-hidden">not covered by the hash</span>
              </span>
            ) : (
              name
            )}
          </dt>
          <dd>{value ?? <span className="dim">–</span>}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** USD to the figure that matters; all decimals on hover. */
export function Money({ usd }: { usd: number }) {
  const [whole, fraction] = roundUsd(usd).split(/(?=\.)/);
  return (
    <span title={`${formatUsd(usd)} USD`} className="nowrap">
      {whole}
      <span className="fraction">{fraction}</span>
    </span>
  );
}

/** A word on a coloured ground. The word says it all: the colour only helps to find it. */
export function Pill({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className="pill" data-tone={tone} title={title}>
      {children}
    </span>
  );
}

export function OutcomePill({ event }: { event: Parameters<typeof describeOutcome>[0] }) {
  const { text, tone } = describeOutcome(event);
  return <Pill tone={tone}>{text}</Pill>;
}

/** Kinds of personal data: the first two by name, all on hover and for those who hear the screen. */
export function PiiKinds({ kinds }: { kinds: readonly string[] }) {
  const [names, more] = [kinds.map((kind) => kind.replaceAll('_', ' ')), kinds.length - 2];
  return (
    <Pill tone="warn" title={names.join(', ')}>
      <span aria-hidden={more > 0}>
        {names.slice(0, 2).join(', ')}
        {more > 0 && ` +${more}`}
      </span>
      {more > 0 && <span className="visually-hidden">{names.join(', ')}</span>}
    </Pill>
  );
}

interface PiiLinksProps {
  findings: readonly { type: string; event_count: number }[];
  /** What else narrows the events that a link leads to. */
  search: Pick<EventsSearch, 'agent_id' | 'from'>;
  none: string;
}

/** Kinds of personal data that were found, each with a link to its events. */
export function PiiLinks({ findings, search, none }: PiiLinksProps) {
  if (findings.length === 0) return <span className="dim">{none}</span>;
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
      {findings.map(({ type, event_count }) => (
        <Link key={type} to="/events" search={{ ...search, pii_type: type }}>
          <Pill tone="warn">
            {type.replaceAll('_', ' ')} {formatCount(event_count)}
          </Pill>
        </Link>
      ))}
    </div>
  );
}

/** Since when something is stopped, by whom and why, as far as the audit log has it. */
export function StoppedBy({ stop }: { stop: AgentOverview['block'] }) {
  if (stop === null) return null;
  return (
    <>
      {' '}
      since <TimeStamp at={stop.since} /> by {stop.by}: {stop.reason ?? 'no reason given'}
      {stop.until && (
        <>
          ; until <TimeStamp at={stop.until} />
        </>
      )}
    </>
  );
}

const statusTones = { active: 'good', blocked: 'bad', retired: 'plain' } as const;

export function StatusPill({ status }: { status: keyof typeof statusTones }) {
  return <Pill tone={statusTones[status]}>{status}</Pill>;
}

/** A name that may be long: whole on hover, and for those who hear the screen. */
export function Name({ children }: { children: string }) {
  return (
    <span className="name" title={children}>
      {children}
    </span>
  );
}

/** An agent by its name if that is known, with a link to it. */
export function AgentLink({ id, name }: { id: string; name?: string | null | undefined }) {
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }} title={name || id} className="name">
      {name || <span className="mono">{shortenId(id)}</span>}
    </Link>
  );
}

/** An issuer of workload identities; empty if it is gone. */
export const Issuer = ({ name }: { name: string }) =>
  name === '' ? <span className="dim">an issuer that is gone</span> : <Link to="/identities">{name}</Link>;

/** A session; the base edition has no page of it. */
/** @param name as its caller sent it */
export function SessionLink({ id, name = null }: { id: string; name?: string | null }) {
  const { edition } = useSession();
  const text = (
    <span className={name === null ? 'mono nowrap' : 'name'} title={id}>
      {name ?? shortenId(id)}
    </span>
  );
  return edition === 'extended' ? (
    <Link to="/sessions/$sessionId" params={{ sessionId: id }}>
      {text}
    </Link>
  ) : (
    text
  );
}

/** Copies a text. @param what names it for those who cannot see the icon */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={copy}
          aria-label={`Copy ${what}`}
          title={copied ? 'Copied' : `Copy ${what}`}
          className="no-print"
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

interface ShortIdProps {
  id: string;
  what?: string;
  whole?: boolean;
  /** Characters that are shown of each end. */
  ends?: number;
}

/** A long id or hash, shortened, whole on paper, with a button that copies all of it. */
export function ShortId({ id, what = 'id', whole = false, ends = 6 }: ShortIdProps) {
  return (
    <span className={whole ? undefined : 'nowrap'}>
      <span className="mono" title={id} data-print={id}>
        <span>{whole ? id : shortenId(id, ends)}</span>
      </span>{' '}
      <CopyText text={id} what={what} />
    </span>
  );
}

const tickMs = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in milliseconds since 1970, a new one each second: one timer for everything on the page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const describe = (at: string) => `${formatUtc(at)}\n${formatFullTime(at)}`;

/** Paper cannot be hovered: there the style sheet shows day, time and zone instead. */
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

/** A time in the viewer's zone; UTC on hover. Nothing yet is a dash. @param beside the other end of a range: its day is not said twice */
export function TimeStamp({ at, beside }: { at: string | null | undefined; beside?: string }) {
  if (!at) return <span className="dim">–</span>;
  return <Time at={at}>{formatLocalTime(at, beside === undefined ? Date.now() : Date.parse(beside))}</Time>;
}

/** When an event was, with a link to it. */
export function EventTime({ id, at }: { id: string; at: string }) {
  return (
    <Link to="/events/$eventId" params={{ eventId: id }}>
      <TimeStamp at={at} />
    </Link>
  );
}

/** How long ago, which goes on by itself; the time on hover. */
export function TimeAgo({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span className="dim">never</span>;
  return <Time at={at}>{formatAgo(Date.parse(at), Math.max(now, Date.parse(at)))}</Time>;
}
