import { createPiiFinder } from '@agp/pii';
import { createPersonNameDetector } from '../person-names/person-name-detector.ts';
import { answerScans } from './scan-texts.ts';

// The lists of names are loaded here alone: a proxy that looks for none is without them.
answerScans(createPiiFinder({ personNames: createPersonNameDetector() }));
