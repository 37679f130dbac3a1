import type { Decision } from '@agp/core/events';
import { type AnswerNames, type Measurement, maxName, maxNamedTools } from '@agp/metering';
import { ends, type Finding, judgeAnswer, judgeUnread, mayEnd, PolicyDenied } from '@agp/policy';
import type { AdmittedRequest, Answer } from '../journey.ts';
import { noteDecisions } from './judge.ts';

/** Judges an answer while it comes, so that it can be ended before what a policy denies is out. */
export class AnswerJudge {
  readonly #request: Governed;
  /** Why it must end. */
  denied: PolicyDenied | null = null;

  constructor(request: Governed) {
    this.#request = request;
  }

  /** Whether it may go on after what it named. @param names null for a part that cannot be read */
  allows(names: AnswerNames | null): boolean {
    const { rules } = this.#request.admission;
    const { facts } = this.#request.governed;
    const findings =
      names === null || isTooMuch(names) ? judgeUnread(rules, facts) : judgeAnswer(rules, { ...facts, ...names });
    const denied = PolicyDenied.by(findings.filter(ends));
    this.denied ??= denied ?? null;
    return denied === undefined;
  }
}

/** More than any answer calls at once, or a name longer than a declared one may be. */
const isTooMuch = ({ called }: AnswerNames) =>
  called.length > maxNamedTools || called.some(({ names }) => names.some(({ length }) => length > maxName));

type Facts = NonNullable<AdmittedRequest['governed']['facts']>;
type Rules = NonNullable<AdmittedRequest['admission']['rules']>;
type Governed = { admission: { rules: Rules }; governed: { facts: Facts } };

const isGoverned = (request: unknown): request is Governed => {
  const { admission, governed } = request as AdmittedRequest;
  return admission.rules !== null && governed.facts !== null;
};

/** Null if no policy may end the answer to this request. */
export function openJudge(request: AdmittedRequest): AnswerJudge | null {
  return isGoverned(request) && mayEnd(request.admission.rules, request.governed.facts)
    ? new AnswerJudge(request)
    : null;
}

/** What policies decided of an answer that has ended, that first which ended it. */
export function decideAnswer(request: AdmittedRequest, { denied }: Answer, measured: Measurement): Decision[] {
  const { answeredModel: model, called } = measured;
  const findings = isGoverned(request)
    ? judgeAnswer(request.admission.rules, { ...request.governed.facts, model, called })
    : [];
  if (denied === null) return noteDecisions(findings);
  const [finding] = denied.findings;
  const isSame = ({ policy, rule }: Finding) => policy.name === finding.policy.name && rule === finding.rule;
  const all = [finding, ...findings.filter((each) => !isSame(each))];
  return noteDecisions(all.map((each) => (each === finding || ends(each) ? { ...each, action: 'cut' } : each)));
}
