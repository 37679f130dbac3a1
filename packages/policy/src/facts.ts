import type { Asked, Decision, EventTool, EventTools, PiiFinding } from '@agp/core/events';
import type { CheckVerdict, DataFacts } from './data-rules.ts';

/** Whose call it is, and what its head says. */
export interface HeadFacts {
  agent: string;
  /** String members of the agent's metadata. */
  labels: Readonly<Record<string, string>>;
  tag: string;
  provider: string;
  /** All names of the operation, its own first; null for a path that is not known. */
  operations: readonly string[] | null;
  /** Milliseconds since 1970 UTC. */
  at: number;
}

/** What a request is, as far as rules ask, in the members that its event records; nothing of what it says. */
export interface CallFacts extends HeadFacts, Omit<Asked, 'operations' | 'nano_usd'> {
  /** What it is likely to cost; null for a batch whose calls cannot be read. */
  nano_usd: number | null;
  /** What it offers its model; null if that cannot be read. */
  tools: readonly EventTool[] | null;
  /** Why `geo` is that; absent for what was recorded. */
  placed?: string | undefined;
  /** What its texts hold; absent if nobody searched. */
  data?: DataFacts;
  /** What external checks say of it, by policy; absent if none was asked. */
  checks?: ReadonlyMap<string, CheckVerdict>;
}

/** What was recorded of a request. */
export interface RecordedCall {
  event_id: string;
  session_id: string;
  agent_id: string;
  agent_name: string;
  /** The agent's when the request was admitted. */
  labels: Readonly<Record<string, string>>;
  timestamp: string;
  tag: string;
  provider: string;
  /** The model that answered. */
  model: string;
  asked: Asked | null;
  /** Null if there were none. */
  tools: EventTools | null;
  /** What rules decided of it then. */
  decision: readonly Decision[] | null;
  /** Personal data that was found in it, and whether all of it was searched. */
  pii: { types: readonly string[]; findings: readonly PiiFinding[]; isFull: boolean };
}

/** A request, and what its answer has shown so far. */
export interface AnswerFacts extends CallFacts {
  /** The model that answered, as the answer itself says. */
  model: string | null;
  called: readonly EventTool[];
  /** What the answer's texts hold; absent if nobody searched. */
  answer?: { data?: DataFacts; checks?: ReadonlyMap<string, CheckVerdict> };
}
