import { parentPort } from 'node:worker_threads';
import type { Numbered } from './create-offload.ts';

/** The worker's side of an offload: answers each question, one after the other where answering does not wait. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  parentPort?.on('message', async ({ id, content }: Numbered<Question>) => {
    parentPort?.postMessage({ id, content: await answer(content) } satisfies Numbered<Answer>);
  });
}
