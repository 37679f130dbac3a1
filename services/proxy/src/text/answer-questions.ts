import { parentPort } from 'node:worker_threads';
import { type Numbered, ready } from './create-offload.ts';

/** The worker's side of an offload: answers each question. One that fails ends the worker, and the other side hears of it. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  const reply = async ({ id, content }: Numbered<Question>) => {
    parentPort?.postMessage({ id, content: await answer(content) } satisfies Numbered<Answer>);
  };
  parentPort?.on('message', (question: Numbered<Question>) => void reply(question));
  parentPort?.postMessage(ready);
}
