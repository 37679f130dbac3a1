import type { Decision } from '@agp/core/events';
import type { AnswerNames, Measurement } from '@agp/metering';
import { ends, type Finding, judgeAnswer, judgeUnread, mayEnd } from '@agp/policy';
import type { AdmittedRequest, Answer } from '../journey.ts';
import { noteDecisions, PolicyDenied } from './judge.ts';

/** Judges an answer while it comes, so that it can be ended before what a policy denies is out. */
export class AnswerJudge {
  readonly #request: Governed;
  /** Why it must end. */
  denied: PolicyDenied | null = null;
  #decisions: readonly Decision[] = [];

  constructor(request: Governed) {
    this.#request = request;
  }

  get decisions(): readonly Decision[] {
    return this.#decisions;
  }

  /** Whether it may go on after what it named. @param names null for a part that cannot be read */
  allows(names: AnswerNames | null): boolean {
    const { rules } = this.#request.admission;
    const { facts } = this.#request.governed;
    const findings =
      names === null
        ? judgeUnread(rules, facts)
        : judgeAnswer(rules, {
            ...facts,
            asked: facts.models ?? [],
            declared: facts.tools,
            model: names.model,
            called: names.called,
          });
    const ending = findings.filter(ends);
    if (ending[0] === undefined) return true;
    this.denied ??= new PolicyDenied(ending[0]);
    this.#decisions = noteDecisions(ending.map((finding) => ({ ...finding, action: 'cut' as const })));
    return false;
  }
}

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

/** What policies decided of an answer that has ended, those first that ended it. */
export function decideAnswer(request: AdmittedRequest, answer: Answer, measured: Measurement): readonly Decision[] {
  if (!isGoverned(request)) return answer.decisions;
  const { rules } = request.admission;
  const { facts } = request.governed;
  const { answeredModel: model, called } = measured;
  const findings = judgeAnswer(rules, { ...facts, asked: facts.models ?? [], declared: facts.tools, model, called });
  const isCut = ({ policy, rule }: Finding) =>
    answer.decisions.some((decision) => decision.policy === policy.name && decision.rule === rule);
  return [...answer.decisions, ...noteDecisions(findings.filter((finding) => !isCut(finding)))];
}
