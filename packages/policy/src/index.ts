export {
  type AgentTool,
  agentToolListSchema,
  agentToolSchema,
  maxPolicies,
  maxPoliciesOfTeam,
  maxTriedText,
  type PolicyRefusals,
  type Preview,
  type PreviewRequest,
  policyListSchema,
  policyRefusalsSchema,
  previewRequestSchema,
  previewSchema,
  refusalDays,
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
export { type DataAction, dataActions, kindName, type OwnPattern, type Put, puts } from './data-schema.ts';
export {
  applies,
  asksCost,
  type DataDecision,
  decideKinds,
  ends,
  type Finding,
  findException,
  isEnforced,
  joinDecisions,
  judgeAnswer,
  judgeBody,
  judgeBodyInSteps,
  judgeHead,
  judgePlace,
  judgeUnread,
  listDataPolicies,
  listPatterns,
  mayEnd,
  PolicyDenied,
  prepareRules,
  type RuleSet,
} from './decide.ts';
export type { AnswerFacts, CallFacts, HeadFacts, RecordedCall } from './facts.ts';
export { findPatternFault, havePatterns, type PatternFault } from './own-patterns.ts';
export { listPolicyNames } from './policy-names.ts';
export { writePut } from './put.ts';
export { Replay } from './replay.ts';
export { familyOf, isOfTexts, type Prepared, prepare, type RuleName } from './rules.ts';
export { type Policy, type PolicyException, policySchema, withoutSign, withoutSigns } from './schema.ts';
export { tryText } from './try-text.ts';
export { findWarnings } from './warnings.ts';
