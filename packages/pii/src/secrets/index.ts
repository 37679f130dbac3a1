import type { Detector } from '../detector.ts';
import { credentialDetector } from './credential-detector.ts';
import { credentialUrlDetector } from './credential-url-detector.ts';
import { keyDetector } from './key-detector.ts';
import { privateKeyDetector } from './private-key-detector.ts';

/** Keys, tokens, passwords: what lets someone in rather than says who somebody is. */
export const secretDetectors: readonly Detector[] = [
  keyDetector,
  privateKeyDetector,
  credentialUrlDetector,
  credentialDetector,
];
