import type { PiiFinder } from '@agp/pii';
import { answerQuestions } from '../text/offload.ts';
import type { TextSource } from '../text/text-source.ts';
import { ScanMemory } from './scan-memory.ts';
import { type PiiScan, scanTexts } from './scan-texts.ts';

/** Texts to scan. */
export interface ScanRequest {
  sources: readonly TextSource[];
  /** How long scanning may take, in milliseconds. */
  budgetMs: number;
}

/** The worker's side of a scanner. */
export function answerScans(find: PiiFinder): void {
  const memory = new ScanMemory();
  answerQuestions(({ sources, budgetMs }: ScanRequest): PiiScan => {
    const end = performance.now() + budgetMs;
    return scanTexts(sources, find, () => performance.now() < end, memory);
  });
}
