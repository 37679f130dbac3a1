export type {
  AnswerEnd,
  Call,
  Doubt,
  Measurement,
  UnscannedReason,
} from './call.ts';
export { unmeasured } from './call.ts';
export type { CallHead } from './call-head.ts';
export { type Caps, createMetering, type Metering } from './create-metering.ts';
export { readTierHeader } from './demand/read-tier-header.ts';
export type { CallMeter } from './measure/call-meter.ts';
export type { MeteringOptions } from './metering-parts.ts';
export {
  formatStreamError,
  matchOperation,
  type Operation,
  operationWords,
  type ProviderApi,
} from './providers/index.ts';
export type { InspectedBody } from './request/inspect-body.ts';
export type { Cheaper } from './reserve/find-cheaper.ts';
export { canDecode, type ResponseTap, StreamUsageStripper } from './stream/index.ts';
