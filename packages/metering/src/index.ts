export { findFraming } from './answer/answer-kind.ts';
export type { Passing } from './answer/answer-pipe.ts';
export { EventSplitter, formatException } from './answer/event-stream.ts';
export type { AnswerPipe } from './answer/reading.ts';
export { type AnswerEnd, type Call, type Doubt, type Measurement, type UnscannedReason, unmeasured } from './call.ts';
export type { CallHead } from './call-head.ts';
export { decodesAll, isPlain } from './content-coding.ts';
export { type Caps, createMetering, type Metering } from './create-metering.ts';
export { tellProfile } from './dialects/bedrock/operations.ts';
export { choosesModel, isMethodOverride, listHeaders, rolesOf } from './dialects/headers.ts';
export { type AnswerNames, maxName, maxNamedTools } from './dialects/named-tools.ts';
export type { Operation, ProviderApi, SentCall, ToldRefusal } from './dialects/operation.ts';
export { readTierHeader } from './dialects/tier.ts';
export {
  dialects,
  findLinkPaths,
  handsOutCredential,
  matchOperation,
  operationWords,
  runsHostedAgent,
  toWholePath,
} from './match-operation.ts';
export type { CallMeter } from './measure/call-meter.ts';
export type { MeteringOptions } from './metering-parts.ts';
export type { SearchPlace } from './redaction/body-searcher.ts';
export {
  addReplacements,
  type CheckedText,
  listRequestTexts,
  numberTexts,
  type Replacement,
} from './redaction/checked-texts.ts';
export { gluedLabelKind, isWordy, labelKind, namedLabelKind } from './redaction/kept-labels.ts';
export { isDistinct, type KnownValue } from './redaction/known-values.ts';
export { listFindings } from './redaction/places.ts';
export { openSearch, type Redactor, type SearchConfig } from './redaction/redaction.ts';
export { replaceInSteps } from './redaction/replace-places.ts';
export type { FoundInBytes } from './redaction/search-bytes.ts';
export type { BodyChange } from './request/change-body.ts';
export { decodeBody } from './request/decode-body.ts';
export { largeBody } from './request/inspect-apart.ts';
export type { InspectedBody } from './request/inspect-body.ts';
export { type AskedOfBody, readAsked } from './request/read-asked.ts';
export type { Cheaper } from './reserve.ts';
