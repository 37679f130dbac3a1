import type { PiiFinder, PiiMatch, PiiType } from '@agp/pii';
import type { Label, LabelledText } from './labelled-text.ts';

/** Counts of one type. A finding and a label match where they overlap and are of the same type. */
export interface Score {
  labels: number;
  labelsFound: number;
  findings: number;
  findingsRight: number;
}

/** What went wrong, for whoever wants to see it: the text, and where in it. */
export interface Miss {
  readonly text: string;
  readonly type: PiiType;
  readonly start: number;
  readonly end: number;
}

export interface Scores {
  readonly byType: ReadonlyMap<PiiType, Score>;
  /** How often a finding of ours (`missed` where there is none) overlaps a label (`nothing` where there is none). */
  readonly confusion: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly missed: readonly Miss[];
  readonly wrong: readonly Miss[];
}

const emptyScore = (): Score => ({ labels: 0, labelsFound: 0, findings: 0, findingsRight: 0 });

const overlap = (a: PiiMatch | Label, b: PiiMatch | Label): boolean => a.start < b.end && b.start < a.end;

/** Compares what a finder finds with what the labels say. */
export function scoreFindings(texts: readonly LabelledText[], find: PiiFinder): Scores {
  const byType = new Map<PiiType, Score>();
  const confusion = new Map<string, Map<string, number>>();
  const [missed, wrong]: [Miss[], Miss[]] = [[], []];
  const scoreOf = (type: PiiType): Score =>
    byType.get(type) ?? byType.set(type, emptyScore()).get(type) ?? emptyScore();
  const confuse = (ours: string, theirs: string) => {
    const row = confusion.get(ours) ?? new Map<string, number>();
    confusion.set(ours, row.set(theirs, (row.get(theirs) ?? 0) + 1));
  };
  for (const { text, labels } of texts) {
    const findings = find(text);
    for (const finding of findings) {
      const { type, start, end } = finding;
      const below = labels.filter((label) => overlap(finding, label));
      const isRight = below.some((label) => label.type === type);
      const score = scoreOf(type);
      score.findings++;
      if (isRight) score.findingsRight++;
      else wrong.push({ text, type, start, end });
      for (const name of below.length > 0 ? below.map((label) => label.name) : ['nothing']) confuse(type, name);
    }
    for (const label of labels) {
      const above = findings.filter((finding) => overlap(finding, label));
      if (above.length === 0) confuse('missed', label.name);
      if (label.type === null) continue;
      const isFound = above.some(({ type }) => type === label.type);
      const score = scoreOf(label.type);
      score.labels++;
      if (isFound) score.labelsFound++;
      else missed.push({ text, type: label.type, start: label.start, end: label.end });
    }
  }
  return { byType, confusion, missed, wrong };
}

/** The sum over types. */
export function addScores(scores: Iterable<Score>): Score {
  const sum = emptyScore();
  for (const score of scores) {
    sum.labels += score.labels;
    sum.labelsFound += score.labelsFound;
    sum.findings += score.findings;
    sum.findingsRight += score.findingsRight;
  }
  return sum;
}

/** @returns shares from 0 to 1; NaN where there is nothing to divide by */
export function rate(score: Score): { precision: number; recall: number; f1: number } {
  const precision = score.findingsRight / score.findings;
  const recall = score.labelsFound / score.labels;
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}
