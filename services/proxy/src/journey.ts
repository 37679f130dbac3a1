import type { Readable } from 'node:stream';
import { type BudgetSet, isCapped } from '@agp/budgets';
import type { ApiError, ErrorCode } from '@agp/core/errors';
import type { Decision, EventMessage, FailureCause } from '@agp/core/events';
import type { AdmissionState } from '@agp/db';
import type {
  AnswerEnd,
  CallMeter,
  Caps,
  FoundInBytes,
  InspectedBody,
  Measurement,
  Operation,
  Redactor,
  Replacement,
} from '@agp/metering';
import type { AnswerFacts, CallFacts, CheckVerdict, Finding, PolicyDenied, RuleSet } from '@agp/policy';
import type { BudgetShare } from '@agp/reservations';
import { toNetwork } from '@agp/runtime';
import type { EgressProxyError } from '@agp/runtime/egress';
import type { Holder } from '@agp/runtime/fairness';
import type { HeaderValues } from './exchange.ts';
import type { ShownJwt } from './identity/identities.ts';
import type { Agent } from './identity/workload.ts';
import type { Provider } from './settings/provider.ts';
import type { KeyUse } from './settings/provider-key.ts';

/** Why a running request is ended from outside. */
export type KillReason = 'agent_blocked' | 'paused' | 'policy_denied';
export type StopReason = KillReason | 'proxy_stopping';

/** The results of the pipeline's steps for a request, in the order of the steps. */

export interface Head {
  /** Its time is the event's timestamp. */
  eventId: string;
  /** The same id as a UUID. */
  eventUuid: string;
  /** Null unless pairs are recorded. */
  requestEventId: string | null;
  /** Ingress, in milliseconds since 1970 UTC. */
  timestamp: number;
  /** Ingress on the monotonic clock, in milliseconds. */
  arrived: number;
  /** The caller's, or made here; not unique. */
  requestId: string;
  method: string;
  /** At the endpoint that serves it. */
  provider: Provider;
  /** The same at the endpoint that is asked if that one fails; null if none is. */
  next: Provider | null;
  /** Without the query, as it goes to the provider. */
  sentPath: string;
  /** The same as it is read: an ARN that hides its model tells that too, if it is known. */
  path: string;
  query: string;
  /** Null if we cannot read it; the request is forwarded all the same. */
  operation: Operation | null;
  /** Declared; with a token or a JWT it must be that's. */
  agentName: string | null;
  /** Hex; null without a token. */
  tokenSha256: string | null;
  /** Of one of our issuers; null if it shows none. */
  jwt: ShownJwt | null;
  /** Of the issuers by which its JWTs were told apart; null without any. */
  identityVersion: number | null;
  /** The session's name, before it is mapped to an id; null if none is named. */
  sessionName: string | null;
  complianceTag: string | null;
  sourceIp: string;
  headers: HeaderValues;
  /** Of the key in its headers; null if that is the caller's. */
  keyUse: KeyUse | null;
  /** The declared length; null without a body, or with one of unknown length. */
  contentLength: number | null;
  /** Its body is encoded. */
  isPacked: boolean;
  hasBody: boolean;
  /** From a header; null if none asks for a tier. */
  serviceTier: string | null;
}

export interface Place {
  giveBack(): void;
}

export interface Admission {
  /** The agent showed a token that works, or a JWT. */
  isProven: boolean;
  /** UUID of the agent that owns the named session; null if none is named, or it is free. */
  sessionOwner: string | null;
  complianceTag: string;
  limits: Pick<AdmissionState, 'caps' | 'requestsPerMinute'>;
  /** Null while there is no policy. */
  rules: RuleSet | null;
  /** Budgets that refuse or warn, and the labels it counts by in them; null if none may count it. */
  budgets: { set: BudgetSet; labels: Readonly<Record<string, string>>; boundsCost: boolean } | null;
  /** The agent's, whose string members are its labels. */
  metadata: Readonly<Record<string, unknown>>;
  /** What policies said of its head that do not refuse it. */
  findings: readonly Finding[];
  /** When what was read came, on the monotonic clock, in milliseconds. */
  admittedAt: number;
}

export function findCaps({ limits: { caps }, budgets }: Pick<Admission, 'limits' | 'budgets'>): Caps {
  return {
    isCapped: budgets !== null || isCapped(caps),
    mayRefuse: budgets?.boundsCost === true || caps.some(({ refuses }) => refuses),
  };
}

/** The session of a request that may yet be refused. */
export interface ChosenSession {
  id: string;
  isClaimed: boolean;
}

export interface Counted {
  /** Null if it had none, or the request is not counted yet. */
  againstRequestsPerMinute: number | null;
}

/** What external checks say of a call. */
export interface Checked {
  /** By policy. */
  verdicts: ReadonlyMap<string, CheckVerdict>;
  /** What enforced policies put in. */
  replacements: readonly Replacement[];
  /** An enforced policy blocks it. */
  isBlocked: boolean;
}

/** In memory if we read it, else a stream. */
export interface Body {
  /** Null without a body, and for one that streams through. */
  inspected: InspectedBody | null;
  toProvider: Buffer | Readable | null;
  /** What was found in it, and for what that was asked; null if nobody searched. */
  searched: { asked: string; found: FoundInBytes; checked: Checked | null } | null;
  /** In milliseconds; 0 for a body that is not buffered. */
  waitedMs: number;
  /** Hex, as received so far; null without a body. */
  sha256(): string | null;
  /** Makes room for a copy of so many bytes. @throws ApiError `share_used_up`, `proxy_overloaded` */
  grow(bytes: number): void;
  /** Gives back the place of its search. */
  endSearch(): void;
  release(): void;
}

export interface Reservation {
  /** UUID of the event that will record what was spent. */
  eventId: string;
  nanoUsd: number;
  isCapped: boolean;
  /** Absent if no budget counts it. */
  budgets?: BudgetShare | undefined;
  /** Names of budgets that it passes, which only warn. */
  warnings: readonly string[];
}

export interface AdmittedRequest {
  head: Head;
  agent: Agent;
  admission: Admission;
  /** Claimed for this agent in storage. */
  sessionId: string;
  body: Body;
  reservation: Reservation;
  governed: Governed;
}

/** What policies say of a request that they let pass. */
export interface Governed {
  /** What they asked of it; null while there is no policy. */
  facts: CallFacts | null;
  /** In the order of their weight. */
  decisions: readonly Decision[];
  /** Policies and rules that the agent is told of. */
  warnings: readonly string[];
  /** Hex, of the body that goes to the provider; null if no policy changed it. */
  forwardedSha256: string | null;
  /** What rules of data do; null if none concerns it. */
  data: DataOfCall | null;
}

/** What rules of data do with a call, once its request may go on. */
export interface DataOfCall {
  /** Its answer is searched, and may be changed or ended. */
  changesAnswer: boolean;
  openAnswer(): DataOfAnswer | null;
}

export interface DataOfAnswer extends Redactor {
  found: NonNullable<AnswerFacts['answer']>;
  /** Something stands in the place of what it held. */
  isChanged: boolean;
  /** Why it ends; null if it does not. */
  denied: PolicyDenied | null;
}

/** Which process made an event, and its place in that process's own count. A gap in the count proves a loss. */
export interface ProducerStamp {
  producer: string;
  producer_seq: number;
}

export interface Answer extends AnswerEnd {
  /** If the agent got no answer of the provider; else null. */
  failure: ErrorCode | null;
  /** The egress proxy that failed it; null if none did. */
  egress: EgressProxyError | null;
  /** Why a policy ended it; null if none did. */
  denied: PolicyDenied | null;
  /** What rules of data found in it; null if none asked. */
  found: AnswerFacts['answer'] | null;
  /** Null if it did not fail. */
  cause: FailureCause | null;
  providerRequestId: string | null;
  /** Hex, as written to the agent; null if the provider never answered. */
  sha256: string | null;
  /** In milliseconds since ingress; null if the provider never answered. */
  firstByteMs: number | null;
  durationMs: number;
  times: CallTimes;
}

/** On the monotonic clock in milliseconds; null if it never happened. */
export interface CallTimes {
  /** Handed to the connection. */
  dispatched: number | null;
  /** Status and headers were there. */
  answered: number | null;
  firstChunk: number | null;
  /** The last byte was there, or the call failed or was ended by us. */
  ended: number | null;
  /** A duration: our work on the pieces of the answer, in all. */
  relayedMs: number;
}

export const noTimes: Readonly<CallTimes> = {
  dispatched: null,
  answered: null,
  firstChunk: null,
  ended: null,
  relayedMs: 0,
};

/** What is missing was not reached. */
export interface Journey {
  head?: Head;
  agent?: Agent;
  sessionId?: string;
  place?: Place;
  body?: Body;
  governed?: Governed;
  reservation?: Reservation;
  promisedPlaces?: number;
  meter?: CallMeter;
  forwarded?: { request: AdmittedRequest; stamp: ProducerStamp };
  answer?: Answer;
  measurement?: Measurement;
  error?: unknown;
}

/** Anybody can invent names: agents of one network without a token or a JWT share one share. */
export function toHolder(agent: Agent, head: Head): Holder {
  return {
    agentId: agent.uuid,
    source: agent.tokenId === null && agent.claim === null ? toNetwork(head.sourceIp) : null,
  };
}

/** For logs and traces; null is what was not reached. */
export interface RequestEnd {
  requestId: string;
  head: Head | null;
  agent: Agent | null;
  sessionId: string | null;
  event: EventMessage | null;
  answer: Answer | null;
  /** The model that the answer itself named. */
  answeredModel: string | null;
  /** From the proxy; null if none. */
  refusal: ApiError | null;
}

/** Null if the agent left before. */
export function statusOf({ event, refusal }: RequestEnd): number | null {
  return event?.http_status ?? refusal?.status ?? null;
}
