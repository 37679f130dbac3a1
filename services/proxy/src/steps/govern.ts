import { hash } from 'node:crypto';
import type { Decision } from '@agp/core/events';
import { type InspectedBody, readAsked } from '@agp/metering';
import {
  type CallFacts,
  ends,
  type Finding,
  isEnforced,
  isOfTexts,
  judgeAnswer,
  judgeBodyInSteps,
  judgePlace,
  PolicyDenied,
  type RuleSet,
} from '@agp/policy';
import { inTurns } from '@agp/runtime';
import type { Setup, Stores, Working } from '../context.ts';
import { keepAllowed } from '../head/endpoints.ts';
import type { Agent } from '../identity/workload.ts';
import type { Admission, Body, Governed, Head } from '../journey.ts';
import { CallData } from '../policy/call-data.ts';
import { describeBody, findRemedy, noteDecisions } from '../policy/judge.ts';
import type { Provider } from '../settings/provider.ts';

const ungoverned: Governed = { facts: null, decisions: [], warnings: [], forwardedSha256: null, data: null };

/**
 * Judges a request by the policies that hold for it, and changes its body if they say so in place of a refusal.
 * @param sessionId whose values labels stand for
 * @throws ApiError `policy_denied`, `proxy_overloaded`, `labels_unavailable`
 */
export async function govern(
  context: Setup & Stores & Working,
  head: Head,
  agent: Agent,
  admission: Admission,
  body: Body,
  sessionId: string,
): Promise<Governed> {
  const { rules } = admission;
  // An earlier version may have changed it.
  if (body.inspected !== null) body.toProvider = body.inspected.toProvider;
  if (rules === null) return ungoverned;
  const describe = (provider: Provider) =>
    describeBody(context, { ...head, provider }, agent, { ...admission, rules }, body);
  const described =
    head.provider.endpoints.length === 0
      ? describeBody(context, head, agent, { ...admission, rules }, body)
      : keepAllowed(context, head, sessionId, describe, (facts) => !judgePlace(rules, facts).some(isEnforced));
  const data = CallData.of(context, head, agent, rules, described);
  const searched = await data?.search(body, sessionId);
  const facts = searched ? { ...described, ...searched.facts } : described;
  const findings = await inTurns(judgeBodyInSteps(rules, facts));
  const enforced = findings.filter(isEnforced).map((finding) => ({ ...finding, action: findRemedy(finding) }));
  const refusing = PolicyDenied.by([
    ...enforced.filter(({ action }) => action === null),
    ...(data === null ? [] : judgeUnreadAnswer(rules, head, facts)),
  ]);
  if (refusing) throw refusing;
  const noted = [...admission.findings, ...findings.filter((finding) => !isEnforced(finding))];
  const redacting = enforced.filter(({ action }) => action === 'redact');
  let changed = (await data?.redact(body, searched?.found ?? null, redacting)) ?? null;
  const remedied = enforced.filter(({ action }) => action === 'lower' || action === 'strip');
  if (remedied[0] !== undefined) {
    const inspected = body.inspected && { ...body.inspected, ...(changed && { toProvider: changed }) };
    changed = await change(context, head, { ...body, inspected }, remedied as [Remedied, ...Remedied[]]);
    const after = describeChanged(context, head, facts, body.inspected as InspectedBody, changed);
    const again = (await inTurns(judgeBodyInSteps(rules, after))).filter(isEnforced);
    // What was searched and checked need not be again.
    const denied = PolicyDenied.by(again.filter(({ rule }) => !isOfTexts(rule)));
    if (denied) throw denied;
  }
  if (changed !== null) body.toProvider = changed;
  return {
    facts,
    decisions: noteDecisions([...(enforced as Remedied[]), ...noted]),
    warnings: noted
      .filter(({ policy, exception }) => policy.mode === 'warn' && exception === null)
      .map(({ policy, rule }) => `${policy.name} (rule ${rule})`),
    forwardedSha256: changed && hash('sha256', changed),
    data,
  };
}

/** A call whose answer no rule of data could read is refused before the provider bills it. */
function judgeUnreadAnswer(rules: RuleSet, { operation, method, path }: Head, facts: CallFacts): Finding[] {
  const isList = operation === null && method === 'GET' && /\/models(?:\/[^/:]+){0,3}\/?$/.test(path);
  const isMedia = operation?.otherAnswers === 'media' || operation?.bounds?.writes === 'pictures';
  if ((operation !== null && !isMedia) || isList) return [];
  const unsearched = isMedia ? 'an answer that is a picture, sound or a file' : 'an answer on a path that is not known';
  const answer = { data: { found: [], unsearched }, checks: new Map() };
  return judgeAnswer(rules, { ...facts, model: null, called: [], answer }).filter(
    (finding) => isEnforced(finding) && ends(finding),
  );
}

type Remedied = Finding & { action: Extract<Decision['action'], 'lower' | 'strip' | 'redact' | 'flag'> };

async function change(
  { metering }: Working,
  head: Head,
  { inspected }: Body,
  findings: [Remedied, ...Remedied[]],
): Promise<Buffer> {
  const bounds = findings.map(({ action, policy }) =>
    action === 'lower' ? (policy.limits?.max_output_tokens ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
  );
  const least = Math.min(...bounds);
  // Many policies may deny the same tools.
  const tools = new Set(findings.flatMap((finding) => finding.denied ?? []));
  const denied = new Set([...tools].map((tool) => JSON.stringify(tool)));
  const changed =
    inspected &&
    (await inTurns(
      metering.changeInSteps(head, inspected, {
        mostOutputTokens: Number.isFinite(least) ? least : null,
        isDenied: denied.size === 0 ? null : (tool) => denied.has(JSON.stringify(tool)),
      }),
    ));
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
