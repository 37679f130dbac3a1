import type { ChainedDetail, Event } from '@agp/core/contracts';
import { toolKinds } from '@agp/core/explain';
import { parseJson } from '@agp/core/json';
import type { ServedLink } from '@agp/core/lineage';

/** A turn of a session, as its chain has it. */
export interface Turn {
  id: string;
  model: string;
  outcome: string | null;
  http_status: number | null;
  /** Milliseconds since 1970. */
  start: number;
  /** Milliseconds; null if it is not known. */
  took: number | null;
  /** Names of what its answer called. */
  tools: string[];
  /** Milliseconds from its end until the next turn: the agent's own work, tools too. Null for the last one, and for one that overlaps. */
  gap: number | null;
}

type Payload = Event & Pick<ChainedDetail, 'outcome' | 'http_status' | 'duration_ms' | 'tools'>;

/** What a session's links say of its turns, in their order. */
export function listTurns(links: readonly Pick<ServedLink, 'payload'>[]): Turn[] {
  const turns = links.map(({ payload }): Turn => {
    const { id, model, timestamp, outcome, http_status, duration_ms, tools } = parseJson(payload) as Payload;
    const called = tools?.called ?? [];
    return {
      ...{ id, model, outcome: outcome ?? null, http_status: http_status ?? null, gap: null },
      ...{ start: Date.parse(timestamp), took: duration_ms ?? null },
      tools: called.map(
        ({ kind, names }) => (kind === 'client' ? '' : `${toolKinds[kind] ?? kind}: `) + (names[0] ?? ''),
      ),
    };
  });
  const inOrder = turns.toSorted((one, other) => one.start - other.start);
  return inOrder.map((turn, at) => {
    const next = inOrder[at + 1];
    const gap = next === undefined ? -1 : next.start - turn.start - (turn.took ?? 0);
    return gap < 0 ? turn : { ...turn, gap };
  });
}
