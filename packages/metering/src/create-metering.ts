import {
  createFindModelBounds,
  createPriceUsage,
  type FindModelBounds,
  type PriceFile,
  type PriceUsage,
} from '@agp/pricing';
import { FairShares } from '@agp/runtime/fairness';
import type { Call, CallHead } from './call.ts';
import { createTokenEstimator, type TokenEstimator } from './estimate-tokens/index.ts';
import { type CallMeter, openCallMeter } from './measure/call-meter.ts';
import type { Operation } from './providers/index.ts';
import { type BodyForm, type InspectedBody, inspectBody } from './request/inspect-body.ts';
import { computeReservation } from './reserve/compute-reservation.ts';
import { type Cheaper, findCheaper } from './reserve/find-cheaper.ts';
import { createPiiScanner, type PiiScanner } from './scan-pii/index.ts';
import { maxInspected } from './stream/index.ts';

/** How calls are read, priced and scanned. */
export interface MeteringOptions {
  /** Prices of the operator's own. */
  prices: PriceFile | null;
  /** Under a cap a request reserves the most that it may cost, and is refused where that has no bound. */
  isStrict: boolean;
  /** Output that a request without a bound is expected to have. */
  defaultOutputTokens: number;
  /** The expected cost of a call without a known price, in whole nano-dollars. */
  unpricedNanoUsd: number;
  /** How texts are scanned, and for how long; null if they are not. */
  pii: { personNames: boolean; budgetMs: number } | null;
  onTokenizerError?(error: Error): void;
  onScannerError?(error: Error): void;
}

/** The parts that the operations of metering use. */
export interface MeteringParts extends Pick<MeteringOptions, 'isStrict' | 'defaultOutputTokens' | 'unpricedNanoUsd'> {
  priceUsage: PriceUsage;
  findModelBounds: FindModelBounds;
  estimator: TokenEstimator;
  /** Null where texts are not scanned. */
  scanner: PiiScanner | null;
  /** Memory for answers while they are read, in bytes. */
  memory: FairShares;
}

/** The caps that hold for a request. */
export interface Caps {
  /** A cap holds, be it one that only warns: the usage of a stream is then asked for in any case. */
  isCapped: boolean;
  /** A cap that refuses holds: in strict mode the request must have a bound. */
  isHeld: boolean;
}

/**
 * Reads the content of model calls: a request's bytes and a tap on the answer go in; model, usage, cost and PII come out.
 * `matchOperation` finds the operation; then in this order:
 *
 *   inspect -> reserve -> open -> openTap -> measure
 */
export interface Metering {
  /** Reads what a request asks for, and decides which bytes are sent on. */
  inspect(operation: Operation, head: CallHead, bytes: Buffer, form: BodyForm, caps: Caps): InspectedBody;
  /**
   * The amount that a request reserves, in whole nano-dollars.
   *
   * @param body null where none was inspected
   * @throws ApiError `cost_not_bounded`
   */
  reserve(head: CallHead, body: InspectedBody | null, caps: Caps): number;
  /** The cost that a refused request would reserve with the lowest bound on its output; null where it cannot be known. */
  findCheaper(head: CallHead, body: InspectedBody | null, caps: Caps): Cheaper | null;
  /** Begins to measure a call that is forwarded. */
  open(call: Call): CallMeter;
  /** Ends the workers. */
  stop(): Promise<void>;
}

/** Makes the one reader of calls of a process. */
export function createMetering(options: MeteringOptions): Metering {
  const { prices: file, pii, onTokenizerError, onScannerError } = options;
  const estimator = createTokenEstimator({ onWorkerError: onTokenizerError });
  const scanner = pii && createPiiScanner({ ...pii, onWorkerError: onScannerError });
  const parts: MeteringParts = {
    isStrict: options.isStrict,
    defaultOutputTokens: options.defaultOutputTokens,
    unpricedNanoUsd: options.unpricedNanoUsd,
    priceUsage: createPriceUsage({ file }),
    findModelBounds: createFindModelBounds({ file }),
    estimator,
    scanner,
    memory: new FairShares({ max: maxInspected }),
  };
  return {
    inspect: (operation, head, bytes, form, { isCapped, isHeld }) =>
      inspectBody(operation, head, bytes, form, { mustTell: isCapped, mustBound: isHeld && options.isStrict }),
    reserve: (head, body, { isHeld }) => computeReservation(parts, head, body, isHeld),
    findCheaper: (head, body, { isHeld }) => findCheaper(parts, head, body, isHeld),
    open: (call) => openCallMeter(parts, call),
    stop: async () => {
      await Promise.all([estimator.stop(), scanner?.stop()]);
    },
  };
}
