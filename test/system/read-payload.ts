import { type System, waitFor } from './start-system.ts';

/** The payload of the only event of a session, once it is recorded. */
export async function readPayload(system: System, sessionId: string): Promise<Record<string, unknown>> {
  const payloads = await waitFor(`the event of ${sessionId}`, () => readPayloads(system, sessionId));
  if (payloads.length !== 1) throw new Error(`${sessionId} has ${payloads.length} events`);
  return payloads[0] as Record<string, unknown>;
}

/** The payloads of a session's events in the order of recording; undefined while there are none. */
export async function readPayloads(system: System, sessionId: string): Promise<Record<string, unknown>[] | undefined> {
  const { rows } = await system.database.pool.query<{ payload: string }>(
    'SELECT payload FROM events WHERE session_id = $1 ORDER BY seq',
    [sessionId],
  );
  return rows.length > 0 ? rows.map(({ payload }) => JSON.parse(payload)) : undefined;
}
