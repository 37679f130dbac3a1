import { type Alert, alertListSchema, alertSchema, streamAlertSchema } from '@agp/alerts';
import { maxPageSize } from '@agp/core/contracts';
import { type Api, readPages, writeQuery } from './api.ts';
import { ApiFailure } from './cli-error.ts';
import { keepFollowing, type Live, openLiveStream } from './live-stream.ts';

const path = '/api/v1/alerts';

/** More than are open at any time. */
const rememberedAlerts = 100_000;
/** Clocks differ, and what was resolved at once is in no list of open ones. Milliseconds. */
const marginMs = 60_000;

interface WatchOptions {
  filter: { agent_id?: string | undefined; rule?: string | undefined };
  /** Aborted to end it. */
  signal: AbortSignal;
  /** Called once for each state of an alert. @param before what was known of it; null if nothing was */
  onAlert(alert: Live<Alert>, before: Alert['state'] | null): Promise<void>;
  /** Called with one line when the connection is lost and when it is back. */
  onNotice(text: string): void;
}

async function readAlert(api: Api, id: string): Promise<Alert[]> {
  try {
    return [(await api.get(`${path}/${id}`, alertSchema)).data];
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return [];
    throw error;
  }
}

/**
 * Follows alerts from now on, until `signal` is aborted: what comes up, is acknowledged and is over. Each time the stream opens, what is
 * open is read, and what was, so that none is missed or repeated.
 */
export async function watchAlerts(api: Api, { filter, signal, onAlert, onNotice }: WatchOptions): Promise<void> {
  const known = new Map<string, Alert['state']>();
  const { answeredAt } = await api.get(path, alertListSchema, { limit: 1 });
  let since = answeredAt - marginMs;

  const note = ({ id, state, opened_at }: Alert) => {
    since = Math.max(since, Date.parse(opened_at) - marginMs);
    known.delete(id);
    known.set(id, state);
    const [oldest] = known.keys();
    if (known.size > rememberedAlerts && oldest !== undefined) known.delete(oldest);
  };

  async function readNow(): Promise<Alert[]> {
    const list = (query: object) => readPages(api, path, alertListSchema, { ...filter, limit: maxPageSize, ...query });
    const rows = [...(await list({ state: 'unresolved' })), ...(await list({ from: new Date(since).toISOString() }))];
    const listed = new Set(rows.map(({ id }) => id));
    const gone = [...known].filter(([id, state]) => state !== 'resolved' && !listed.has(id));
    for (const [id] of gone) rows.push(...(await readAlert(api, id)));
    return rows.sort((a, b) => a.opened_at.localeCompare(b.opened_at));
  }

  // Those that are there are not told.
  for (const alert of await readNow()) note(alert);

  async function tell(live: Live<Alert>): Promise<void> {
    const { id, rule, state } = live.data;
    const before = known.get(id) ?? null;
    if (before === state || signal.aborted || (filter.rule ?? rule) !== rule) return;
    note(live.data);
    await onAlert(live, before);
  }

  const stream = writeQuery('/api/v1/events/stream', { kinds: 'alerts', agent_id: filter.agent_id });
  await keepFollowing(
    async (onOpen) => {
      const messages = await openLiveStream(api, stream, { name: 'alert', schema: streamAlertSchema }, signal);
      try {
        const alerts = await readNow();
        onOpen();
        for (const alert of alerts) await tell({ data: alert, text: JSON.stringify(alert) });
        for await (const live of messages) await tell(live);
      } finally {
        await messages.return(undefined);
      }
    },
    signal,
    onNotice,
  );
}
