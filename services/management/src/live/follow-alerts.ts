import { toPublicId } from '@agp/core/ids';
import { type AlertRow, type Db, listChangedAlerts } from '@agp/db';
import { every } from '@agp/runtime';
import { presentAlert } from '../presenters.ts';
import type { LiveStreams, ToldAlert } from './live-streams.ts';

const pollMs = 1_000;
/** A change is seen at most so long after its time, in milliseconds: no transaction of one takes longer. */
const recentMs = 30_000;
const page = { recentMs, limit: 500 };
const firstId = '00000000-0000-0000-0000-000000000000';

/** Alerts of the release before tell their one agent alone. */
function toTold(row: AlertRow): ToldAlert {
  const agents = row.agent_ids ?? (row.agent_id === null ? [] : [row.agent_id]);
  return { alert: presentAlert(row), agentIds: agents.map((id) => toPublicId('agt', id)) };
}

/** Tells the streams that ask for alerts of each change within seconds: one look for all of them, and none while nobody asks. */
export function followAlerts(db: Db, streams: LiveStreams): () => Promise<void> {
  let latest: Date | null = null;
  const sent = new Map<string, { at: Date; text: string }>();

  async function look(): Promise<void> {
    const from = latest && new Date(latest.getTime() - recentMs);
    for (const [id, { at }] of sent) if (from === null || at < from) sent.delete(id);
    let after = from && { changed_at: from, id: firstId };
    for (let isLast = false; !isLast; ) {
      const rows = await listChangedAlerts(db, after, page);
      const fresh = rows.filter((row) => {
        const [known, text] = [sent.get(row.id), JSON.stringify(presentAlert(row))];
        sent.set(row.id, { at: row.changed_at, text });
        return text !== known?.text;
      });
      streams.publishAlerts(fresh.map(toTold));
      isLast = rows.length < page.limit;
      after = rows.at(-1) ?? after;
      latest = rows.at(-1)?.changed_at ?? latest;
    }
  }

  return every(
    pollMs,
    async () => {
      if (streams.asksForAlerts) return look();
      latest = null;
    },
    () => {
      // Without a place to go on from, clients read what is open and come again.
      if (latest === null) streams.endStreams(({ filter }) => filter.withAlerts === true);
    },
  );
}
