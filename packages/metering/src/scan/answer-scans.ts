import type { PiiFinder } from '@agp/pii';
import { answerQuestions } from '../text/offload.ts';
import type { TextSource } from '../text-source.ts';
import { ScanMemory } from './scan-memory.ts';
import { type PiiScan, scanTexts } from './scan-texts.ts';

export interface ScanRequest {
  sources: readonly TextSource[];
  budgetMs: number;
}

export function answerScans(find: PiiFinder): void {
  const memory = new ScanMemory();
  answerQuestions(({ sources, budgetMs }: ScanRequest): PiiScan => {
    const end = performance.now() + budgetMs;
    return scanTexts(sources, find, () => performance.now() < end, memory);
  });
}
