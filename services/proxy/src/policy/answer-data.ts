import {
  type CheckedText,
  gluedLabelKind,
  isDistinct,
  isWordy,
  labelKind,
  namedLabelKind,
  openSearch,
  type Redactor,
} from '@agp/metering';
import { kindOfLabel } from '@agp/pii/label';
import {
  type AnswerFacts,
  type CallFacts,
  type DataFacts,
  ends,
  judgeAnswer,
  nameKind,
  PolicyDenied,
  type RuleSet,
} from '@agp/policy';
import type { Checked, DataOfAnswer } from '../journey.ts';
import type { DataRules } from './data-rules.ts';
import type { Replacements } from './replacements.ts';

/** The checks outside that judge an answer. */
interface Checking {
  ask(texts: readonly CheckedText[] | null): Promise<Checked>;
  /** It is too long to be checked. */
  fail(): Checked;
}

/** What rules of data find in one answer and do with it. */
export class AnswerData implements DataOfAnswer {
  readonly config: Redactor['config'];
  readonly search: Redactor['search'];
  readonly #rules: DataRules;
  readonly #all: { rules: RuleSet; facts: CallFacts };
  readonly #replacements: Replacements;
  #checked: Checked | null = null;
  readonly #counts = new Map<string, number>();
  #unsearched: string | null = null;
  hasEnded = false;
  isChanged = false;
  /** Absent if no check judges answers. */
  check?: Redactor['check'];
  passesUnchecked?: Redactor['passesUnchecked'];

  /** @param checking null if no check judges answers */
  constructor(
    rules: DataRules,
    all: { rules: RuleSet; facts: CallFacts },
    replacements: Replacements,
    checking: Checking | null,
  ) {
    this.#rules = rules;
    this.#all = all;
    this.#replacements = replacements;
    if (checking !== null) {
      this.check = async (texts) => this.#take(await checking.ask(texts));
      this.passesUnchecked = () => this.#take(checking.fail()) !== null && !this.hasEnded;
    }
    this.config = rules.config;
    this.search = openSearch(rules.config);
  }

  /** @param isSigned a thought goes back to its provider with its signature, so it is left as it is, labels included */
  put(kind: string, value: string, isSigned = false, beside: readonly string[] = []): string | null {
    if (kind === labelKind || kind === gluedLabelKind || kind === namedLabelKind)
      return isSigned ? null : this.#restore(value, kind);
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const decided = this.#rules.decide(kind, beside);
    if (decided?.action === 'block') this.hasEnded = true;
    if (decided?.action !== 'redact') return null;
    this.isChanged ||= !isSigned;
    if (!isSigned) return this.#replacements.write(decided.put, kind, value);
    this.passesUnread(`a signed thought, which holds ${nameKind(kind)} and cannot be changed`);
    return null;
  }

  /** What a rule keeps from the answer is not put back into it, nor what the next request's search would not find in its place. */
  #restore(label: string, kind: string): string | null {
    const action = this.#rules.decideByName(kindOfLabel(label))?.action;
    if (action === 'redact' || action === 'block') return null;
    const value = this.#replacements.restore(label);
    if (value !== null && kind === gluedLabelKind && !isDistinct(value)) return null;
    if (value !== null && kind === namedLabelKind && (!isDistinct(value) || isWordy(value))) return null;
    const isKept = (found: string) => (this.#rules.decide(found)?.action ?? 'flag') !== 'flag';
    return value !== null && this.search.find(value).some(({ kind: found }) => isKept(found)) ? null : value;
  }

  passesUnread(what: string): boolean {
    this.#unsearched ??= what;
    this.hasEnded ||= this.#rules.needsAll;
    return !this.#rules.needsAll;
  }

  get found(): NonNullable<AnswerFacts['answer']> {
    const data: DataFacts = {
      found: [...this.#counts].map(([kind, count]) => ({ kind, count })),
      unsearched: this.#unsearched,
    };
    return { data, checks: this.#checked?.verdicts ?? new Map() };
  }

  #take(checked: Checked): Checked['replacements'] {
    this.#checked = checked;
    this.hasEnded ||= checked.isBlocked;
    this.isChanged ||= checked.replacements.length > 0;
    return checked.replacements;
  }

  /** Why it ends; null if it does not. */
  get denied(): PolicyDenied | null {
    if (!this.hasEnded) return null;
    const { rules, facts } = this.#all;
    const findings = judgeAnswer(rules, { ...facts, model: null, called: [], answer: this.found });
    return PolicyDenied.by(findings.filter(ends)) ?? null;
  }
}
