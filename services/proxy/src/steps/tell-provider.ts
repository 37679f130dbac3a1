import { hash } from 'node:crypto';
import type { AdmittedRequest } from '../journey.ts';

/**
 * Writes into a call which event, agent and session it is of, as they are named here, if its provider is to be told: its own logs are
 * joined with the records by that.
 * @throws ApiError `malformed_request` if servers may read the caller's own metadata differently; `share_used_up`,
 *   `proxy_overloaded` if there is no room for the copy
 */
export function tellProvider(request: AdmittedRequest): void {
  const { head, agent, sessionId, body, governed } = request;
  const { operation, provider } = head;
  if (!provider.writesMetadata || operation?.writeMetadata === undefined || !Buffer.isBuffer(body.toProvider)) return;
  const sent = operation.writeMetadata({ headers: head.headers, body: body.toProvider }, [
    ['agp_event_id', head.eventId],
    ['agp_agent_id', agent.id],
    ['agp_session_id', sessionId],
    ['agp_agent_name', agent.name],
  ]);
  if (sent.body !== body.toProvider) body.grow(sent.body.length);
  head.headers = sent.headers;
  body.toProvider = sent.body;
  if (governed.forwardedSha256 !== null) request.governed = { ...governed, forwardedSha256: hash('sha256', sent.body) };
}
