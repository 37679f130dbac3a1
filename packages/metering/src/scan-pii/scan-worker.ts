import { createPiiFinder } from '@agp/pii';
import { answerQuestions } from '../text/answer-questions.ts';
import type { TextSource } from '../text/text-source.ts';
import { type PiiScan, scanTexts } from './scan-texts.ts';

/** Texts to scan. */
export interface ScanRequest {
  sources: readonly TextSource[];
  personNames: boolean;
  /** How long scanning may take, in milliseconds. */
  budgetMs: number;
}

const finders = { all: createPiiFinder({ personNames: true }), withoutNames: createPiiFinder() };

answerQuestions(({ sources, personNames, budgetMs }: ScanRequest): PiiScan => {
  const end = performance.now() + budgetMs;
  return scanTexts(sources, personNames ? finders.all : finders.withoutNames, () => performance.now() < end);
});
