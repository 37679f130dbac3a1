import { createPersonNameDetector } from '@agp/person-names';
import { createPiiFinder } from '@agp/pii';
import { answerScans } from './answer-scans.ts';

// The lists of names are loaded here alone: a proxy that looks for none is without them.
answerScans(createPiiFinder({ personNames: createPersonNameDetector() }));
