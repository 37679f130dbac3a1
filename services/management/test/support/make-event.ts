import type { EventMessage } from '@agp/core/events';
import { makeEventAt } from '@agp/testing/events';

/** An event of an agent and a session, at a time, whose figures are easy to add up. */
export function makeEvent(
  agentId: string,
  sessionId: string,
  timestamp: string,
  fields: Partial<EventMessage> = {},
): EventMessage {
  const { prompt_tokens = 10, completion_tokens = 5 } = fields;
  return makeEventAt(Date.parse(timestamp), {
    session_id: sessionId,
    agent_id: agentId,
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cost_nano_usd: 1_500,
    price_version: null,
    provider_request_id: null,
    request_sha256: null,
    response_sha256: null,
    ...fields,
  });
}
