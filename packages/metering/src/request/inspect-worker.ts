import { answerQuestions } from '../text/offload.ts';
import { answerQuestion } from './inspect-apart.ts';

answerQuestions(answerQuestion, (answer) => {
  const bytes = 'toProvider' in answer ? answer.toProvider : null;
  // A short one lies in Node's pool, which stays.
  return bytes !== null && bytes.length === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
});
