import type { ApiError } from '@agp/core/errors';
import type { EventMessage } from '@agp/core/events';
import type { Agent, Answer, Head } from '../journey.ts';

/** The end of a request for logs and traces. A field is null if the request did not get that far. */
export interface RequestEnd {
  requestId: string;
  head: Head | null;
  agent: Agent | null;
  sessionId: string | null;
  /** Of a request that was forwarded. */
  event: EventMessage | null;
  answer: Answer | null;
  /** The model as the answer itself named it. */
  answeredModel: string | null;
  /** The error that the agent got from the proxy; null if none. */
  refusal: ApiError | null;
}

/** The status that the agent got; null if it left before. */
export function statusOf({ event, refusal }: RequestEnd): number | null {
  return event?.http_status ?? refusal?.status ?? null;
}
