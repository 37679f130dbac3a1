import { type Decision, maxDecisions } from '@agp/core/events';
import { readLabels } from '@agp/core/labels';
import { listOperationNames } from '@agp/core/operations';
import type { DocumentAt, DocumentsAt } from '@agp/db';
import { type AskedOfBody, choosesModel, type Metering, readAsked } from '@agp/metering';
import { compilePattern } from '@agp/pii/own-pattern';
import {
  type CallFacts,
  type Finding,
  familyOf,
  type HeadFacts,
  isEnforced,
  isOfTexts,
  judgeBodyInSteps,
  judgeHead,
  judgePlace,
  PolicyDenied,
  policySchema,
  prepare,
  type RuleName,
  type RuleSet,
} from '@agp/policy';
import { inTurns } from '@agp/runtime';
import type { Agent } from '../identity/workload.ts';
import { type Admission, type AdmittedRequest, type Body, findCaps, type Governed, type Head } from '../journey.ts';
import { maxShortText } from '../limits.ts';
import type { Versioned } from '../storage/versioned.ts';

export type Rules = Versioned<DocumentAt<'policy'>, RuleSet>;

/** Makes policies ready. @throws Error that names one which this version of the proxy cannot read */
export function* prepareRules({ version, rows }: DocumentsAt<DocumentAt<'policy'>>): Generator<undefined, RuleSet> {
  const policies: RuleSet['policies'][number][] = [];
  for (const { version: own, policy } of rows) {
    try {
      const read = policySchema.parse(policy);
      policies.push(prepare(read, own));
      yield;
      // Made ready here, since a class of letters takes long.
      for (const { pattern, longest } of read.pii?.patterns ?? []) {
        compilePattern(pattern, longest);
        yield;
      }
    } catch {
      throw new Error(`policy ${(policy as { name?: unknown }).name} is of a later version`);
    }
  }
  return { version, policies };
}

interface Reads {
  metering: Metering;
}

type Known = Pick<Admission, 'complianceTag' | 'metadata'> & { rules: RuleSet };

/**
 * What policies say of a request before its body is read.
 * @throws ApiError `policy_denied`
 */
export function governHead(head: Head, agent: Agent, known: Known): readonly Finding[] {
  const findings = judgeHead(known.rules, describeCall(head, agent, known));
  const denied = PolicyDenied.by(findings.filter(isEnforced));
  if (denied) throw denied;
  return findings;
}

/** All that rules ask of a request whose body is read. */
export function describeBody(
  { metering }: Reads,
  head: Head,
  agent: Agent,
  admission: Admission & Known,
  { inspected }: Body,
): CallFacts {
  return {
    ...describeCall(head, agent, admission),
    ...readCall(metering, head, inspected),
    nano_usd: metering.findLikelyCost(head, inspected, findCaps(admission)),
  };
}

/** What a call asks for, from where rules and budgets take it alike; what is not read for sure may be anything. */
export function readCall(metering: Metering, head: Head, inspected: Body['inspected']): AskedOfBody {
  const chooser = Object.keys(head.headers).find(choosesModel);
  const names = chooser === undefined ? readNames(metering, head, inspected) : null;
  return {
    ...readAsked(head, inspected, names),
    ...(chooser !== undefined && { unread: `the header "${chooser.slice(0, maxShortText)}"` }),
  };
}

/** What becomes of a request in place of a refusal; null if it is refused. */
export function findRemedy({
  policy: { limits, tools },
  rule,
  denied,
  remedy,
}: Finding): 'lower' | 'strip' | 'redact' | 'flag' | null {
  if (remedy !== undefined) return remedy;
  if (rule === 'limits.max_output_tokens' && limits?.over === 'lower') return 'lower';
  return denied !== undefined && tools?.on_declared === 'strip' ? 'strip' : null;
}

/** Why rules that came while a request runs end it; null if they let it finish. */
export async function findStop(context: Reads, request: AdmittedRequest, rules: RuleSet): Promise<PolicyDenied | null> {
  const { head, agent, admission, body, governed } = request;
  const known = { ...admission, rules };
  const facts = governed.facts ?? describeBody(context, head, agent, known, body);
  const stops = (finding: Finding) =>
    isEnforced(finding) &&
    finding.policy.running === 'stop' &&
    findRemedy(finding) === null &&
    // Its texts have left.
    !isOfTexts(finding.rule);
  const findings = [...judgeHead(rules, facts), ...(await inTurns(judgeBodyInSteps(rules, facts)))];
  return PolicyDenied.by(findings.filter(stops)) ?? null;
}

/** What policies say of a request that went on to another endpoint of its provider, which they allow: where that is. */
export function noteEndpoint(
  context: Reads,
  { head, agent, admission, body, governed }: AdmittedRequest,
  rules: RuleSet | null,
): Governed {
  if (rules === null) return governed;
  const described = describeBody(context, head, agent, { ...admission, rules }, body);
  const facts =
    governed.facts === null
      ? described
      : {
          ...governed.facts,
          ...{ geo: described.geo, placed: described.placed, stores: described.stores, guardrail: described.guardrail },
        };
  const decisions = governed.decisions.filter(({ rule }) => familyOf(rule as RuleName) !== 'where');
  return { ...governed, facts, decisions: [...decisions, ...noteDecisions(judgePlace(rules, facts))] };
}

/** The first policy may have come while the body was read. */
function readNames(metering: Metering, head: Head, body: Body['inspected']) {
  if (body === null || head.operation === null || body.names?.isSure) return body?.names ?? null;
  const caps = { isCapped: false, mayRefuse: false, mustName: true };
  return metering.inspect(head.operation, head, body.bytes, body.form, caps).names;
}

export function describeCall(head: Head, agent: Agent, { complianceTag, metadata }: Omit<Known, 'rules'>): HeadFacts {
  const { provider, operation, timestamp } = head;
  const operations = operation && listOperationNames(operation.name);
  const labels = Object.fromEntries(readLabels(metadata));
  return { agent: agent.name, labels, tag: complianceTag, provider: provider.id, operations, at: timestamp };
}

/** What an enforced policy would have refused and did not has an action of its own. */
const noted = { observe: 'observe', warn: 'warn', enforce: 'observe' } as const;
const act = (mode: keyof typeof noted, remedy: Finding['remedy']): Decision['action'] =>
  remedy === 'flag' || (remedy !== undefined && mode === 'enforce') ? remedy : noted[mode];

/** What one rule decided, as the event records it; refusals have no event. */
export function noteDecisions(findings: readonly (Finding & { action?: Decision['action'] })[]): Decision[] {
  return findings.slice(0, maxDecisions).map(({ policy, version, rule, exception, action, remedy, found }) => ({
    policy: policy.name,
    version,
    rule,
    action: action ?? (exception === null ? act(policy.mode, remedy) : 'excepted'),
    ...(found && { found }),
  }));
}
