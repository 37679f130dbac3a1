import type { Asked, EventTool } from '@agp/core/events';

/** Whose call it is, and what its head says. */
export interface CallHead {
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
export interface CallFacts extends CallHead, Omit<Asked, 'operations'> {
  /** What it offers its model; null if that cannot be read. */
  tools: readonly EventTool[] | null;
}

/** A request, and what its answer has shown so far. */
export interface AnswerFacts extends CallFacts {
  /** The model that answered, as the answer itself says. */
  model: string | null;
  called: readonly EventTool[];
}
