import { answerQuestions } from '../text/offload.ts';
import { TextMemory } from '../text/text-memory.ts';
import type { SearchMemory } from './redaction.ts';
import { type SearchedBytes, searchBytes } from './search-bytes.ts';

const memory: SearchMemory = new TextMemory();
answerQuestions((question: SearchedBytes) => searchBytes(question, question.from === 'request' ? memory : null));
