import type { Detector } from '../detector.ts';
import { credentialDetector } from './credential-detector.ts';
import { credentialUrlDetector } from './credential-url-detector.ts';
import { keyDetector } from './key-detector.ts';
import { privateKeyDetector } from './private-key-detector.ts';

/** Finds keys, tokens and passwords: what lets somebody in, rather than what identifies a person. */
export const secretDetectors: readonly Detector[] = [
  keyDetector,
  privateKeyDetector,
  credentialUrlDetector,
  credentialDetector,
];
