import { randomUUIDv7 } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { fromPublicId, toPublicId } from '@agp/core/ids';
import { type Database, recordEvents } from '@agp/db';

/** Registers an agent as the proxy would; its id outside. */
export async function seedAgent({ db }: Database, name: string, createdAt?: string): Promise<string> {
  const id = randomUUIDv7();
  await db
    .insertInto('agents')
    .values({
      id,
      name,
      source_ip: '10.0.0.1',
      ...(createdAt !== undefined && { created_at: createdAt, updated_at: createdAt }),
    })
    .execute();
  return toPublicId('agt', id);
}

/** Claims the session for its agent as the proxy would, without an event. */
export async function seedSession({ db }: Database, sessionId: string, agentId: string): Promise<void> {
  const uuid = fromPublicId('agt', agentId) as string;
  await db.insertInto('sessions').values({ id: sessionId, agent_id: uuid, total_cost_usd: '0' }).execute();
}

/** Records events as the writer does, in the order given, and returns them with their hashes. */
export async function seedEvents(
  { pool }: Database,
  events: EventMessage[],
): Promise<(EventMessage & { lineage_hash: string })[]> {
  const { recorded } = await recordEvents(pool, events);
  return recorded.map(({ event, lineageHash }) => ({ ...event, lineage_hash: lineageHash }));
}
