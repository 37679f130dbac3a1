import type { Lineage } from '@agp/core/contracts';
import { type System, waitFor } from './start-system.ts';

/** The payload of the only event of a session, once it is recorded. */
export async function readPayload(system: System, sessionId: string): Promise<Record<string, unknown>> {
  const payloads = await waitFor(`the event of ${sessionId}`, () => readPayloads(system, sessionId));
  if (payloads.length !== 1) throw new Error(`${sessionId} has ${payloads.length} events`);
  return payloads[0] as Record<string, unknown>;
}

/** The payloads of a session's events in the order of recording; undefined while there are none. */
export async function readPayloads(system: System, sessionId: string): Promise<Record<string, unknown>[] | undefined> {
  const headers = { authorization: `Bearer ${system.apiKey}` };
  const answer = await fetch(`${system.management.url}/api/v1/lineage/${sessionId}`, { headers });
  if (answer.status === 404) return undefined;
  const { entries } = (await answer.json()) as Lineage;
  return entries.map(({ payload }) => JSON.parse(payload));
}
