import type { Decision } from '@agp/core/events';
import { type AnswerNames, type Measurement, maxName, maxNamedTools, type Passing } from '@agp/metering';
import { ends, type Finding, judgeAnswer, judgeUnread, mayEnd, PolicyDenied } from '@agp/policy';
import type { AdmittedRequest, Answer, DataOfAnswer } from '../journey.ts';
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

/** All that policies do with one answer while it comes. */
export class AnswerGuard {
  readonly #judge: AnswerJudge | null;
  readonly #data: DataOfAnswer | null;

  constructor(judge: AnswerJudge | null, data: DataOfAnswer | null) {
    this.#judge = judge;
    this.#data = data;
  }

  /** Why it must end; null if it need not. */
  get denied(): PolicyDenied | null {
    return this.#judge?.denied ?? this.#data?.denied ?? null;
  }

  /** What rules of data found in it; null if none asks. */
  get found(): DataOfAnswer['found'] | null {
    return this.#data?.found ?? null;
  }

  get isChanged(): boolean {
    return this.#data?.isChanged === true;
  }

  /** What may not pass as it came. What an error of the provider names passes; its texts are searched all the same. */
  passing(status: number): Passing {
    const judge = this.#judge;
    return {
      ...(judge !== null && status < 400 && { allows: (names) => judge.allows(names) }),
      ...(this.#data !== null && { redactor: this.#data, isError: status >= 400 }),
    };
  }
}

/** Null if no policy may end or change the answer to this request. */
export function openGuard(request: AdmittedRequest): AnswerGuard | null {
  const [judge, data] = [openJudge(request), request.governed.data?.openAnswer() ?? null];
  return judge === null && data === null ? null : new AnswerGuard(judge, data);
}

/** What was recorded of an answer that rules of data only observe. */
function observe({ piiFindings, piiScan }: Measurement): DataOfAnswer['found'] {
  const types = piiFindings.flatMap(({ in: side, type }) => (side === 'response' ? [type] : []));
  const found = [...new Set(types)].map((kind) => ({ kind, count: types.filter((type) => type === kind).length }));
  return { data: { found, unsearched: piiScan === 'full' ? null : 'its texts' }, checks: new Map() };
}

/** What policies decided of an answer that has ended, that first which ended it. */
export function decideAnswer(request: AdmittedRequest, { denied, found }: Answer, measured: Measurement): Decision[] {
  const { answeredModel: model, called } = measured;
  const findings = isGoverned(request)
    ? judgeAnswer(request.admission.rules, {
        ...request.governed.facts,
        model,
        called,
        answer: found ?? observe(measured),
      })
    : [];
  if (denied === null) return noteDecisions(findings);
  const [finding] = denied.findings;
  const isSame = ({ policy, rule }: Finding) => policy.name === finding.policy.name && rule === finding.rule;
  const all = [finding, ...findings.filter((each) => !isSame(each))];
  return noteDecisions(all.map((each) => (each === finding || ends(each) ? { ...each, action: 'cut' } : each)));
}
