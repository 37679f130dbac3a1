import { createPiiFinder } from '@agp/pii';
import { answerScans } from './answer-scans.ts';

answerScans(createPiiFinder());
