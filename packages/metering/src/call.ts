import type { DoubtReason } from '@agp/core/contracts';
import type { EventTool, PiiFinding } from '@agp/core/events';
import type { PiiType } from '@agp/pii';
import type { Holder } from '@agp/runtime/fairness';
import type { CallHead } from './call-head.ts';
import type { InspectedBody } from './request/inspect-body.ts';
import type { MissedReason } from './scan/scan-memory.ts';

export interface Call {
  head: CallHead;
  holder: Holder;
  /** A policy may hold its answer back until it has been read. */
  mayBeHeld?: boolean;
  /** Null without a body, and for one that streams through. */
  body: InspectedBody | null;
  reservation: {
    nanoUsd: number;
    /** A cap holds for the request; one that only warns counts too. */
    isCapped: boolean;
  };
  /** False if another call has it. May reject. @param bill the provider's id of it, with a space for a doubt about one */
  claimBill(bill: string): Promise<boolean>;
  /** UUID of the event that claimed it; null if none did. May reject. */
  findClaim(bill: string): Promise<string | null>;
  /** Takes, once, what the call is known to cost, and what it holds on; null if nobody need wait for that. Never rejects. */
  count?(
    known: Pick<Measurement, 'costNanoUsd' | 'heldNanoUsd' | 'promptTokens' | 'completionTokens'>,
  ): Promise<void> | null;
}

export interface AnswerEnd {
  /**
   * `completed`: the agent has all of it; `aborted`: the agent left; `failed`: the provider did, or the process stopped;
   * `killed`: the agent was blocked, or all were paused.
   */
  outcome: 'completed' | 'aborted' | 'failed' | 'killed';
  /** It was written to a connection, so the provider may bill it. */
  sent: boolean;
  status: number | null;
  streamed: boolean;
}

export interface Doubt {
  /**
   * `claim_too_large`: more than any call can have used; `unreadable`: neither figures nor text, or work that cannot be seen;
   * `billed_later`: the figures come with a later answer, if anybody fetches it;
   * `out_of_range`: more than an event holds.
   */
  reason: DoubtReason;
  promptTokens: number;
  completionTokens: number;
  costNanoUsd: number;
}

export type UnscannedReason = MissedReason | 'unknown_path';

export interface Measurement {
  model: string | null;
  answeredModel: string | null;
  requestedModel: string | null;
  promptTokens: number;
  completionTokens: number;
  costNanoUsd: number;
  usageSource: 'provider' | 'estimated' | 'none';
  priceVersion: string | null;
  piiTypes: readonly PiiType[];
  piiFindings: readonly PiiFinding[];
  piiScan: 'full' | 'partial' | 'none';
  /** Tools that the answer called, by name. */
  called: readonly EventTool[];
  outcome: AnswerEnd['outcome'];
  doubt: Doubt | null;
  unpriced: readonly string[];
  /** What goes on in the background may cost, in nano-dollars, until a later answer bills it. */
  heldNanoUsd: number;
  /** The provider's path to which a POST ends what goes on in the background; null if there is none. */
  cancelPath: string | null;
  /** UUID of the event whose work in the background this answer bills. */
  settledEventId: string | null;
  /** Units that were counted and have no price, though their model has one, by the names of their prices; also in `priceVersion`. */
  unpricedUnits: readonly string[];
  /** Figures of the answer that no reader understood; names are the provider's. */
  unread: readonly string[];
  unscanned: UnscannedReason | null;
  /** The provider served a path that we cannot read, so that its cost is unknown. */
  isUnknownPath: boolean;
}

export const unmeasured: Omit<Measurement, 'outcome'> = {
  model: null,
  answeredModel: null,
  requestedModel: null,
  promptTokens: 0,
  completionTokens: 0,
  costNanoUsd: 0,
  usageSource: 'none',
  priceVersion: null,
  piiTypes: [],
  piiFindings: [],
  piiScan: 'none',
  called: [],
  doubt: null,
  unpriced: [],
  heldNanoUsd: 0,
  cancelPath: null,
  settledEventId: null,
  unpricedUnits: [],
  unread: [],
  unscanned: null,
  isUnknownPath: false,
};
