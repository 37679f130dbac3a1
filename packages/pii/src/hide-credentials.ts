import { runDetectors } from './detector.ts';
import { secretDetectors } from './secrets/secret-detectors.ts';

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
