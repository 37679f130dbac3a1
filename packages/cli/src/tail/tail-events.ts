import { setTimeout as wait } from 'node:timers/promises';
import { ApiFailure } from '../cli-error.ts';
import type { Api } from '../connect-api.ts';
import { type EventFilter, readBacklog, toStreamEvent } from './read-backlog.ts';
import { type LiveEvent, openLiveStream } from './read-stream.ts';
import { RecentIds } from './recent-ids.ts';

export interface TailOptions {
  filter: EventFilter;
  /** Aborted to end the tail. */
  signal: AbortSignal;
  /** Called once for each event. */
  onEvent(event: LiveEvent): Promise<void>;
  /** Called with one line when the connection is lost and when it is back. */
  onNotice(text: string): void;
}

/** Announcements follow commits by up to half of this, and clocks differ (docs/api.md, the live stream). Milliseconds. */
const marginMs = 60_000;
/** Remembered ids: more than the events of a minute at any rate that fits a terminal. */
const rememberedIds = 200_000;
const longestPauseMs = 5_000;

/** Whether trying again is useless: the key stopped working, or the filter is refused. */
function isFinal(error: unknown): boolean {
  return !(error instanceof ApiFailure) || (error.status !== null && error.status < 500 && error.status !== 429);
}

/**
 * Follows the events that are recorded from now on, until `signal` is aborted. Each time the stream opens, earlier events are read from
 * the list, starting a minute before the last known one, and known ids are skipped: no event is missed or repeated, whatever happens to
 * the connection.
 *
 * @throws ApiFailure when nothing answers at first, and later when the API refuses
 */
export async function tailEvents(api: Api, { filter, signal, onEvent, onNotice }: TailOptions): Promise<void> {
  const seen = new RecentIds(rememberedIds);
  const { readAt } = await readBacklog(api, filter, null);
  let since = readAt - marginMs;
  // Existing events are not shown, but must be known so that they are not shown later.
  for (const { id } of (await readBacklog(api, filter, since)).events) seen.add(id);

  async function tell(live: LiveEvent): Promise<void> {
    since = Math.max(since, Date.parse(live.event.timestamp) - marginMs);
    if (seen.add(live.event.id) && !signal.aborted) await onEvent(live);
  }

  async function follow(onOpen: () => void): Promise<void> {
    const stream = await openLiveStream(api, filter, signal);
    try {
      const { events } = await readBacklog(api, filter, since);
      onOpen();
      for (const event of events.map(toStreamEvent)) await tell({ event, text: JSON.stringify(event) });
      for await (const live of stream) await tell(live);
    } finally {
      await stream.return(undefined);
    }
  }

  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = Math.min(250 * 2 ** failures, longestPauseMs);
    try {
      await follow(() => {
        if (failures > 0) onNotice('connected again');
        failures = 0;
        pauseMs = 250;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
      if (failures === 0) onNotice(`${(error as Error).message} (trying again)`);
      failures += 1;
      pauseMs = Math.max(pauseMs, ((error as ApiFailure).retryAfterSeconds ?? 0) * 1_000);
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
}
