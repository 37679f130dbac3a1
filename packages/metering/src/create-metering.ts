import { createFindModelBounds, createPriceUsage, type PriceFile } from '@agp/catalogue';
import { FairShares, type Holder } from '@agp/runtime/fairness';
import { maxHeld, maxInspected } from './answer/reading.ts';
import type { Call } from './call.ts';
import type { CallHead } from './call-head.ts';
import type { Operation } from './dialects/operation.ts';
import { type CallMeter, openCallMeter } from './measure/call-meter.ts';
import type { MeteringOptions, MeteringParts } from './metering-parts.ts';
import { createBodySearcher, type SearchPlace } from './redaction/body-searcher.ts';
import type { SearchConfig } from './redaction/redaction.ts';
import type { FoundInBytes } from './redaction/search-bytes.ts';
import { type BodyChange, changeInSteps } from './request/change-body.ts';
import { type BodyInspector, createBodyInspector } from './request/inspect-apart.ts';
import { type BodyForm, type InspectedBody, inspectBody } from './request/inspect-body.ts';
import { type Cheaper, findCheaper, findLikelyCost, findReservation, findTokens } from './reserve.ts';
import { createPiiScanner } from './scan/pii-scanner.ts';
import { createTokenEstimator } from './tokens/token-estimator.ts';

export interface Caps {
  /** A cap holds, be it one that only warns: the usage of a stream is then asked for in any case. */
  isCapped: boolean;
  mayRefuse: boolean;
  /** What the request names must be sure: a policy holds, whose events record it, or a budget of models. */
  mustName?: boolean;
  /** A policy asks what the request is likely to cost. */
  mustPrice?: boolean;
}

/**
 * Reads the content of model calls. `matchOperation` finds the operation; then
 *
 *   inspect -> reserve -> open -> openTap -> measure
 */
export interface Metering {
  inspect(operation: Operation, head: CallHead, bytes: Buffer, form: BodyForm, caps: Caps): InspectedBody;
  /** The same of a large body, while others are served. @throws ApiError `proxy_overloaded` if its turn does not come */
  inspectApart(
    operation: Operation,
    head: CallHead,
    bytes: Buffer,
    form: BodyForm,
    caps: Caps,
    holder: Holder,
  ): Promise<InspectedBody>;
  /** A large body with names of ours in its metadata, while others are served. @throws ApiError as `BodyInspector.write` */
  writeApart: BodyInspector['write'];
  /** The amount that a request reserves, in whole nano-dollars. @throws ApiError `cost_not_bounded` */
  findReservation(head: CallHead, body: InspectedBody | null, caps: Caps): number;
  /** The tokens that it reserves, of budgets that count these. @throws as `findReservation` */
  findTokens(head: CallHead, body: InspectedBody | null, caps: Caps): number;
  /** The same for rules, which ask of a batch what its calls may cost; null if that cannot be read. @throws as `findReservation` */
  findLikelyCost(head: CallHead, body: InspectedBody | null, caps: Caps): number | null;
  findCheaper(head: CallHead, body: InspectedBody | null, caps: Caps): Cheaper | null;
  /** Later figures are charged by these prices; calls under way too. */
  usePrices(file: PriceFile | null): void;
  changeInSteps(head: CallHead, body: InspectedBody, change: BodyChange): Generator<undefined, Buffer | null>;
  /** A place for a body that rules of data must see. @param bytes its size, as far as that is known @throws ApiError `share_used_up`, `proxy_overloaded` */
  promiseSearch(holder: Holder, bytes: number): SearchPlace;
  /** What the texts of a body hold. @throws ApiError `proxy_overloaded` if its turn does not come */
  searchBody(
    body: Pick<InspectedBody, 'form'> & { bytes: Buffer },
    config: SearchConfig,
    holder: Holder,
  ): FoundInBytes | Promise<FoundInBytes>;
  /** @throws ApiError `share_used_up`, `proxy_overloaded` if its answer must be held and there is no room for it */
  open(call: Call): CallMeter;
  stop(): Promise<void>;
}

export function createMetering(options: MeteringOptions): Metering {
  const { prices: file, pii, onTokenizerError, onScannerError } = options;
  const estimator = createTokenEstimator({ onWorkerError: onTokenizerError });
  const scanner = pii && createPiiScanner({ ...pii, onWorkerError: onScannerError });
  const parts: MeteringParts = {
    isStrict: options.isStrict,
    priceUsage: createPriceUsage(file),
    findModelBounds: createFindModelBounds(file),
    estimator,
    scanner,
    searcher: createBodySearcher({ largest: options.maxRequestBytes ?? 0, onWorkerError: onScannerError }),
    memory: new FairShares({ max: maxInspected }),
    held: new FairShares({ max: maxHeld }),
  };
  const inspector = createBodyInspector(onScannerError);
  const toNeeds = ({ isCapped, mayRefuse, mustName = false, mustPrice = false }: Caps) => ({
    mustTell: isCapped,
    mustBound: mayRefuse && options.isStrict,
    mustName,
    mustPrice: mustPrice || isCapped,
  });
  return {
    inspect: (operation, head, bytes, form, caps) => inspectBody(operation, head, bytes, form, toNeeds(caps)),
    inspectApart: (operation, head, bytes, form, caps, holder) =>
      inspector.inspect(operation, head, bytes, form, toNeeds(caps), holder),
    writeApart: inspector.write,
    findReservation: (head, body, caps) => findReservation(parts, head, body, caps),
    findTokens: (head, body, { mayRefuse }) => findTokens(parts, head, body, mayRefuse),
    findLikelyCost: (head, body, { mayRefuse }) => findLikelyCost(parts, head, body, mayRefuse),
    findCheaper: (head, body, { mayRefuse }) => findCheaper(parts, head, body, mayRefuse),
    usePrices: (given) => {
      parts.priceUsage = createPriceUsage(given);
      parts.findModelBounds = createFindModelBounds(given);
    },
    changeInSteps,
    promiseSearch: (holder, bytes) => parts.searcher.promise(holder, bytes),
    searchBody: ({ bytes, form: { contentType } }, config, holder) =>
      parts.searcher.search({ bytes, contentType, from: 'request', mayBeText: false, config }, holder),
    open: (call) => openCallMeter(parts, call),
    stop: async () => {
      await Promise.all([estimator.stop(), scanner?.stop(), parts.searcher.stop(), inspector.stop()]);
    },
  };
}
