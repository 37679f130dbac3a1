export {
  type AgentTool,
  agentToolListSchema,
  agentToolSchema,
  maxPolicies,
  maxPoliciesOfTeam,
  maxTriedText,
  type Preview,
  type PreviewRequest,
  policyListSchema,
  previewRequestSchema,
  previewSchema,
  type StoredPolicy,
  storedPolicySchema,
  type TriedText,
  type TryRequest,
  triedTextSchema,
  tryRequestSchema,
} from './contract.ts';
export {
  type CheckVerdict,
  type DataActions,
  type DataFacts,
  type Direction,
  nameKind,
  ownKind,
} from './data-rules.ts';
export { type DataAction, dataActions, kindName, type OwnPattern } from './data-schema.ts';
export {
  applies,
  asksCost,
  asksNames,
  ends,
  type Finding,
  findException,
  isEnforced,
  judgeAnswer,
  judgeBody,
  judgeBodyInSteps,
  judgeGeo,
  judgeHead,
  judgeUnread,
  listDataPolicies,
  listPatterns,
  listStrictest,
  mayEnd,
  PolicyDenied,
  prepareRules,
  type RuleSet,
  selects,
} from './decide.ts';
export { describeMatch, mayHold } from './describe-match.ts';
export { isModelListed } from './model-names.ts';
export { prepareLists } from './names.ts';
export { findPatternFault, havePatterns, type PatternFault } from './own-patterns.ts';
export { listPolicyNames } from './policy-names.ts';
export { type Put, writePut } from './put.ts';
export { Replay } from './replay.ts';
export { type AnswerFacts, type CallFacts, type CallHead, type Prepared, prepare, type RecordedCall } from './rules.ts';
export { type Policy, type PolicyException, policySchema, withoutSign, withoutSigns } from './schema.ts';
export { tryText } from './try-text.ts';
export { findWarnings } from './warnings.ts';
