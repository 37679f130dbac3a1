import { createPiiFinder } from '@agp/pii';
import { answerScans } from './scan-texts.ts';

answerScans(createPiiFinder());
