import { answerQuestions } from '../text/offload.ts';
import { type SearchedBytes, searchBytes } from './search-bytes.ts';

answerQuestions((question: SearchedBytes) => searchBytes(question));
