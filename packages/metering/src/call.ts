import type { DoubtReason } from '@agp/core/contracts';
import type { PiiFinding } from '@agp/core/events';
import type { PiiType } from '@agp/pii';
import type { Holder } from '@agp/runtime/fairness';
import type { CallHead } from './call-head.ts';
import type { InspectedBody } from './request/inspect-body.ts';
import type { MissedReason } from './scan/scan-memory.ts';

/** A request that is forwarded. */
export interface Call {
  head: CallHead;
  /** The agent whose share of memory and of the workers' time the call uses. */
  holder: Holder;
  /** Null without a body, and for one that streams through. */
  body: InspectedBody | null;
  reservation: {
    /** Whole nano-dollars. */
    nanoUsd: number;
    /** A cap holds for the request; one that only warns counts too. */
    isCapped: boolean;
  };
  /**
   * Claims, for this call, a bill that the provider charges once, such as a batch's; false if another call has claimed it. May
   * reject.
   *
   * @param bill the provider's id of the bill, or a name with a space for a doubt about one
   */
  claimBill(bill: string): Promise<boolean>;
}

/** How the answer to a call ended. */
export interface AnswerEnd {
  /**
   * `completed`: all of the answer reached the agent; `aborted`: the agent left; `failed`: the provider did, or the answer
   * outlived the grace of a process that stops; `killed`: the agent was blocked, or all were paused, meanwhile.
   */
  outcome: 'completed' | 'aborted' | 'failed' | 'killed';
  /**
   * The request was written to a connection, so the provider may bill it. False if no connection was made.
   */
  sent: boolean;
  /** The provider's status; null when it never answered. */
  status: number | null;
  /** The answer came piece by piece, as server-sent events or an array of such. */
  streamed: boolean;
}

/** Why the figures of a call should not be taken as they are, and what its answer claimed. */
export interface Doubt {
  /**
   * `claim_too_large`: more than any call can have used; `unreadable`: an answer in which no figures
   * and no text were found, or to a request whose work cannot be seen, or a part of a batch's results; `out_of_range`: a
   * figure that no event can hold.
   */
  reason: DoubtReason;
  promptTokens: number;
  completionTokens: number;
  costNanoUsd: number;
}

/** Why a text was not scanned; `unknown_path`: on an unknown path text cannot be distinguished from data. */
export type UnscannedReason = MissedReason | 'unknown_path';

/** Usage and cost of a call, and the PII found in its texts. */
export interface Measurement {
  model: string | null;
  /** The model as the answer itself named it; null where it named none. */
  answeredModel: string | null;
  requestedModel: string | null;
  promptTokens: number;
  completionTokens: number;
  /** Whole nano-dollars. */
  costNanoUsd: number;
  usageSource: 'provider' | 'estimated' | 'none';
  priceVersion: string | null;
  piiTypes: readonly PiiType[];
  /** Where they are. */
  piiFindings: readonly PiiFinding[];
  /** How much of the texts was scanned for PII. */
  piiScan: 'full' | 'partial' | 'none';
  /** How the call ended, judged by what the answer said as well. */
  outcome: AnswerEnd['outcome'];
  /** Null if the figures are not in doubt. */
  doubt: Doubt | null;
  /** Models that were used and have no known price. */
  unpriced: readonly string[];
  /** Why some text was not scanned; null where all of it was. */
  unscanned: UnscannedReason | null;
  /** The provider served a path that we cannot read, so that its cost is unknown. */
  isUnknownPath: boolean;
}

/** The measurement of a call that was not read. */
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
  doubt: null,
  unpriced: [],
  unscanned: null,
  isUnknownPath: false,
};
