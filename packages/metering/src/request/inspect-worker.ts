import { answerQuestions } from '../text/offload.ts';
import { answerQuestion } from './inspect-apart.ts';

answerQuestions(answerQuestion);
