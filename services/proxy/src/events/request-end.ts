import type { ApiError } from '@agp/core/errors';
import type { EventMessage } from '@agp/core/events';
import type { Agent, Answer, Head } from '../journey.ts';

/** How a request ended, as logs and traces tell it. What is null was not reached. */
export interface RequestEnd {
  head: Head | null;
  agent: Agent | null;
  sessionId: string | null;
  /** Of a request that was forwarded. */
  event: EventMessage | null;
  answer: Answer | null;
  /** The model as the answer itself named it. */
  answeredModel: string | null;
  /** Why the agent was refused, or told that the provider failed; null where it was not. */
  refusal: ApiError | null;
}

/** The status that the agent got; null where it left before it got one. */
export function statusOf({ event, refusal }: RequestEnd): number | null {
  return event?.http_status ?? refusal?.status ?? null;
}
