import type { Readable } from 'node:stream';
import type { ApiError, ErrorCode } from '@agp/core/errors';
import type { EventMessage, FailureCause } from '@agp/core/events';
import type { AdmissionState } from '@agp/db';
import type { AnswerEnd, InspectedBody, Measurement, Operation } from '@agp/metering';
import { toNetwork } from '@agp/runtime';
import type { Holder } from '@agp/runtime/fairness';
import type { HeaderValues } from './exchange.ts';
import type { Provider } from './settings/provider.ts';

/*
 * The results of the pipeline's steps for a request, in the order of the steps.
 */

/** Everything that a request says before its body is read. */
export interface Head {
  /** Made here: the time it holds is the event's timestamp. */
  eventId: string;
  /** The id of the `request` event that precedes this one; null unless pairs are recorded. */
  requestEventId: string | null;
  /** Ingress, in milliseconds since 1970 UTC; the time that the event's id holds. */
  timestamp: number;
  /** Ingress on the monotonic clock, in milliseconds. */
  arrived: number;
  /** The caller's, or made here; not unique. */
  requestId: string;
  method: string;
  provider: Provider;
  /** The provider's path, without the query. */
  path: string;
  query: string;
  /** The operation asked for; null if we cannot read it, and the request is forwarded all the same. */
  operation: Operation | null;
  /** The declared name; with a token it must be the token's. */
  agentName: string | null;
  /** Hex SHA-256 of the agent token, from whatever header or parameter it came in; null without one. */
  tokenSha256: string | null;
  /** The session that the caller names, before it is mapped to an id; null when it names none. */
  sessionName: string | null;
  complianceTag: string | null;
  sourceIp: string;
  headers: HeaderValues;
  /** As declared; null when there is no body, or one of unknown length. */
  contentLength: number | null;
  hasBody: boolean;
  /** The service tier that a header asks for; null if none does. */
  serviceTier: string | null;
}

/** An agent, in both spellings of its id. They never change, so they may be remembered; its status may not. */
export interface Agent {
  uuid: string;
  id: string;
  name: string;
  /** UUID of the token that was shown; null without one. Admission reads whether it still works. */
  tokenId: string | null;
}

/** A place among the requests that this process serves at once. */
export interface Place {
  giveBack(): void;
}

/** Proof that storage let the request through, and what it said of the agent. */
export interface Admission {
  /** The agent showed a token that works. */
  isProven: boolean;
  /** UUID of the agent that owns the session named by the request; null if it has no owner yet, or none is named. */
  sessionOwner: string | null;
  complianceTag: string;
  limits: Pick<AdmissionState, 'agentCap' | 'globalCap' | 'requestsPerMinute'>;
  /** When storage had answered, on the monotonic clock, in milliseconds. */
  admittedAt: number;
}

/** The session of a request that may yet be refused. */
export interface Session {
  id: string;
  /** The agent owns it already. */
  isClaimed: boolean;
}

/** The limit that a request was counted against before its body came. */
export interface Counted {
  /** The agent's limit at that time; null if it had none, or if the request is not counted yet. */
  againstRequestsPerMinute: number | null;
}

/** A request's body: in memory if we read it, else a stream. */
export interface Body {
  /** What we read from it; null without a body, and for one that streams through. */
  inspected: InspectedBody | null;
  /** The body that is forwarded. */
  toProvider: Buffer | Readable | null;
  /** How long we waited for all of a buffered body, in milliseconds; 0 if it is not buffered. */
  waitedMs: number;
  /** Hex SHA-256 of the bytes as received, so far; null where there is no body. */
  sha256(): string | null;
  /** Gives the body's memory back to its share. */
  release(): void;
}

/** A request's share of the day's budget. */
export interface Reservation {
  /** UUID of the event that will record what was spent. */
  eventId: string;
  /** The amount, in whole nano-dollars. */
  nanoUsd: number;
  /** A cap holds for the request, of its agent or of all. */
  isCapped: boolean;
}

/** A request that passed every check and is forwarded. */
export interface AdmittedRequest {
  head: Head;
  agent: Agent;
  admission: Admission;
  /** Claimed for this agent in storage. */
  sessionId: string;
  body: Body;
  reservation: Reservation;
}

/** Which process made an event, and its place in that process's own count. A gap in the count proves a loss. */
export interface ProducerStamp {
  producer: string;
  producer_seq: number;
}

/** How the call to the provider ended. */
export interface Answer extends AnswerEnd {
  /** The error that the agent gets because the provider never answered; null otherwise. */
  failure: ErrorCode | null;
  /** Why the provider could not be reached, or broke off; null where it did not fail. */
  cause: FailureCause | null;
  providerRequestId: string | null;
  /** Hex SHA-256 of the bytes written to the agent; null when the provider never answered. */
  sha256: string | null;
  /** Since ingress, in milliseconds; null when the provider never answered. */
  firstByteMs: number | null;
  durationMs: number;
  times: CallTimes;
}

/** When things happened in the call of a provider, on the monotonic clock in milliseconds; null where they never did. */
export interface CallTimes {
  /** The request was handed to the connection. */
  dispatched: number | null;
  /** The answer's status and headers were there. */
  answered: number | null;
  /** The first bytes of the answer's body were there. */
  firstChunk: number | null;
  /** The answer's last byte was there, or the call had failed or was ended by us. */
  ended: number | null;
  /** How long our work on the pieces of the answer took in all; a duration, unlike the other members. */
  relayedMs: number;
}

/** A call that was never made. */
export const noTimes: Readonly<CallTimes> = {
  dispatched: null,
  answered: null,
  firstChunk: null,
  ended: null,
  relayedMs: 0,
};

/** How far a request came. What is missing was not reached. */
export interface Journey {
  head?: Head;
  agent?: Agent;
  sessionId?: string;
  place?: Place;
  body?: Body;
  reservation?: Reservation;
  /** In the outbox, for events that are not there yet. */
  promisedPlaces?: number;
  forwarded?: { request: AdmittedRequest; stamp: ProducerStamp };
  answer?: Answer;
  measurement?: Measurement;
  error?: unknown;
}

/** Without a token anybody can invent names, so all agents without one of the same network share one share. */
export function toHolder(agent: Agent, head: Head): Holder {
  return { agentId: agent.uuid, source: agent.tokenId === null ? toNetwork(head.sourceIp) : null };
}

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
