import { type Detector, runDetectors } from './detector.ts';
import { credentialDetector, credentialUrlDetector } from './kinds/credentials.ts';
import { keyDetector, privateKeyDetector } from './kinds/keys.ts';

/** Finds keys, tokens and passwords: what lets somebody in, rather than what identifies a person. */
export const secretDetectors: readonly Detector[] = [
  keyDetector,
  privateKeyDetector,
  credentialUrlDetector,
  credentialDetector,
];

/** Replaces each key, token and password found in a text by its type, such as `[api_key]`. Takes linear time. */
export function hideCredentials(text: string): string {
  const findings = runDetectors(secretDetectors, text);
  if (findings.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { type, start, end } of findings.sort((a, b) => a.start - b.start)) {
    if (start >= at) shown += `${text.slice(at, start)}[${type}]`;
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}
