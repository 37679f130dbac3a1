import type { Readable } from 'node:stream';
import type { ErrorCode } from '@agp/core/errors';
import type { AdmissionState } from '@agp/db';
import type { AnswerEnd, InspectedBody, Measurement, Operation } from '@agp/metering';
import type { HeaderValues } from './answer/forwarded-headers.ts';
import type { Provider } from './settings/load-providers.ts';
import type { Place } from './steps/take-place.ts';

/*
 * What the steps of the pipeline make of a request, in the order in which they make it.
 */

/** Everything that a request says before its body is read. */
export interface Head {
  /** Made here: the time it holds is the event's timestamp. */
  eventId: string;
  /** The id of the pair's other half, an earlier one; null where single events are recorded. */
  requestEventId: string | null;
  /** Ingress, in milliseconds since 1970 UTC; the time that the event's id holds. */
  timestamp: number;
  /** Ingress on the monotonic clock, in milliseconds. */
  arrived: number;
  method: string;
  provider: Provider;
  /** The provider's path, without the query. */
  path: string;
  query: string;
  /** What the request asks of the provider, where we know how to read it; null is forwarded all the same. */
  operation: Operation | null;
  /** The declared name; with a token it must be the token's. */
  agentName: string | null;
  /** Hex SHA-256 of the agent token that came along, wherever it stood; null without one. */
  tokenSha256: string | null;
  /** The session that the caller names, before it is mapped to an id; null when it names none. */
  sessionName: string | null;
  complianceTag: string | null;
  sourceIp: string;
  headers: HeaderValues;
  /** As declared; null when there is no body, or one of unknown length. */
  contentLength: number | null;
  hasBody: boolean;
}

/** An agent, in both spellings of its id. They never change, so they may be remembered; its status may not. */
export interface Agent {
  uuid: string;
  id: string;
  name: string;
  /** UUID of the token that was shown; null without one. Whether it still works, admission reads. */
  tokenId: string | null;
}

/** Proof that storage let the request through, and what it said of the agent. */
export interface Admission {
  /** The agent showed a token that works. */
  isProven: boolean;
  /** UUID of the agent that owns the session which the request names; null where nobody does yet, or it names none. */
  sessionOwner: string | null;
  complianceTag: string;
  limits: Pick<AdmissionState, 'agentCap' | 'globalCap' | 'requestsPerMinute'>;
  /** When storage had answered, on the monotonic clock, in milliseconds. */
  admittedAt: number;
}

/** The session of a request that may yet be refused. */
export interface Session {
  id: string;
  /** It is the agent's already. */
  isClaimed: boolean;
}

/** What a request was counted against before its body came. */
export interface Counted {
  /** The agent's limit then; null where there was none, or it is still to be counted. */
  againstRequestsPerMinute: number | null;
}

/** A request's body: in memory where we read it, else on its way through. */
export interface Body {
  /** What we read of it; null for a body that streams through, and where there is none. */
  inspected: InspectedBody | null;
  /** What is sent on. */
  toProvider: Buffer | Readable | null;
  /** How long the agent was waited for until all of a buffered body was there, in milliseconds; 0 where none is buffered. */
  waitedMs: number;
  /** Hex SHA-256 of the bytes as received, so far; null where there is no body. */
  sha256(): string | null;
  /** Gives back what the body held. */
  release(): void;
}

/** A request's share of the day's budget. */
export interface Reservation {
  /** UUID of the event that will record what was spent. */
  eventId: string;
  /** What was taken, in whole nano-dollars. */
  nanoUsd: number;
  /** A cap holds for the request, of its agent or of all. */
  isCapped: boolean;
}

/** A request that passed every check and is forwarded. */
export interface AdmittedRequest {
  head: Head;
  agent: Agent;
  admission: Admission;
  /** The agent's own, by a claim in storage. */
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
  /** Set where the provider never answered and the agent is told so. */
  failure: ErrorCode | null;
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
  /** What our work on the pieces of the answer took in all, a length and not a time. */
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
  forwarded?: { request: AdmittedRequest; stamp: ProducerStamp };
  answer?: Answer;
  measurement?: Measurement;
  error?: unknown;
}
