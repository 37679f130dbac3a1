import { parentPort } from 'node:worker_threads';
import { type Numbered, type Reply, ready } from './create-offload.ts';

/** The worker's side of an offload. A question that fails is reported, and the others are answered all the same. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  const tryToAnswer = async (id: number, content: Question): Promise<Reply<Answer>> => {
    try {
      return { id, content: await answer(content) };
    } catch (error) {
      return { id, failure: String(error) };
    }
  };
  const reply = async ({ id, content }: Numbered<Question>) => {
    parentPort?.postMessage(await tryToAnswer(id, content));
  };
  parentPort?.on('message', (question: Numbered<Question>) => void reply(question));
  parentPort?.postMessage(ready);
}
