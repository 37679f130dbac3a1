import { hash } from 'node:crypto';
import type { Decision } from '@agp/core/events';
import { type InspectedBody, readAsked } from '@agp/metering';
import { type CallFacts, type Finding, isEnforced, judgeBodyInSteps, PolicyDenied } from '@agp/policy';
import { inTurns } from '@agp/runtime';
import type { Setup, Working } from '../context.ts';
import type { Admission, Agent, Body, Governed, Head } from '../journey.ts';
import { describeBody, findRemedy, noteDecisions } from '../policy/judge.ts';

const ungoverned: Governed = { facts: null, decisions: [], warnings: [], forwardedSha256: null };

/**
 * Judges a request by the policies that hold for it, and changes its body if they say so in place of a refusal.
 * @throws ApiError `policy_denied`
 */
export async function govern(
  context: Setup & Working,
  head: Head,
  agent: Agent,
  admission: Admission,
  body: Body,
): Promise<Governed> {
  const { rules } = admission;
  // An earlier version may have changed it.
  if (body.inspected !== null) body.toProvider = body.inspected.toProvider;
  if (rules === null) return ungoverned;
  const facts = describeBody(context, head, agent, { ...admission, rules }, body);
  const findings = await inTurns(judgeBodyInSteps(rules, facts));
  const enforced = findings.filter(isEnforced).map((finding) => ({ ...finding, action: findRemedy(finding) }));
  const refusing = PolicyDenied.by(enforced.filter(({ action }) => action === null));
  if (refusing) throw refusing;
  const noted = [...admission.findings, ...findings.filter((finding) => !isEnforced(finding))];
  const changed = enforced[0] === undefined ? null : change(context, head, body, enforced as [Remedied, ...Remedied[]]);
  if (changed !== null) {
    const after = describeChanged(context, head, facts, body.inspected as InspectedBody, changed);
    const denied = PolicyDenied.by((await inTurns(judgeBodyInSteps(rules, after))).filter(isEnforced));
    if (denied) throw denied;
    body.toProvider = changed;
  }
  return {
    facts,
    decisions: noteDecisions([...(enforced as Remedied[]), ...noted]),
    warnings: noted
      .filter(({ policy, exception }) => policy.mode === 'warn' && exception === null)
      .map(({ policy, rule }) => `${policy.name} (rule ${rule})`),
    forwardedSha256: changed && hash('sha256', changed),
  };
}

type Remedied = Finding & { action: Extract<Decision['action'], 'lower' | 'strip'> };

function change({ metering }: Working, head: Head, { inspected }: Body, findings: [Remedied, ...Remedied[]]): Buffer {
  const bounds = findings.map(({ action, policy }) =>
    action === 'lower' ? (policy.limits?.max_output_tokens ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  );
  const least = Math.min(...bounds);
  // Many policies may deny the same tools.
  const tools = new Set(findings.flatMap((finding) => finding.denied ?? []));
  const denied = new Set([...tools].map((tool) => JSON.stringify(tool)));
  const changed =
    inspected &&
    metering.changeBody(head, inspected, {
      mostOutputTokens: Number.isFinite(least) ? least : null,
      isDenied: denied.size === 0 ? null : (tool) => denied.has(JSON.stringify(tool)),
    });
  if (changed) return changed;
  throw new PolicyDenied([{ ...findings[0], reason: `${findings[0].reason}, and its body cannot be changed` }]);
}

function describeChanged(
  { metering }: Working,
  head: Head,
  facts: CallFacts,
  { form }: InspectedBody,
  changed: Buffer,
): CallFacts {
  if (head.operation === null) return facts;
  const caps = { isCapped: false, mayRefuse: false, mustName: true };
  const inspected = metering.inspect(head.operation, head, changed, form, caps);
  const { input_bytes: _, ...changedFacts } = readAsked(head, inspected, inspected.names);
  return { ...facts, ...changedFacts };
}
