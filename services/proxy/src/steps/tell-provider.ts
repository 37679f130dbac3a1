import { largeBody } from '@agp/metering';
import { digestInTurns } from '../body/content-digest.ts';
import type { Working } from '../context.ts';
import { type AdmittedRequest, toHolder } from '../journey.ts';

/**
 * Writes into a call which event, agent and session it is of, as they are named here: the provider's own logs are joined with the records
 * by that.
 * @throws ApiError `malformed_request` if servers may read the caller's own metadata differently; `share_used_up`,
 *   `proxy_overloaded` if there is no room for the copy, or its turn does not come
 */
export async function tellProvider({ metering }: Pick<Working, 'metering'>, request: AdmittedRequest): Promise<void> {
  const { head, agent, sessionId, body, governed } = request;
  const { operation, headers } = head;
  const bytes = body.toProvider;
  if (!operation?.metadata || !Buffer.isBuffer(bytes)) return;
  const own = [
    ['agp_event_id', head.eventId],
    ['agp_agent_id', agent.id],
    ['agp_session_id', sessionId],
    ['agp_agent_name', agent.name],
  ] as const;
  if (!operation.metadata.isInBody) {
    head.headers = operation.metadata.write({ headers, body: bytes }, own).headers;
    return;
  }
  body.grow(bytes.length);
  const told =
    bytes.length > largeBody
      ? await metering.writeApart(operation, head, bytes, own, toHolder(agent, head))
      : operation.metadata.write({ headers, body: bytes }, own).body;
  body.toProvider = told;
  if (governed.forwardedSha256 !== null) request.governed = { ...governed, forwardedSha256: await digestInTurns(told) };
}
