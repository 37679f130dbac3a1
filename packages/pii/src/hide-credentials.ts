import { createText } from './create-text.ts';
import type { PiiType } from './pii-types.ts';
import { secretDetectors } from './secrets/index.ts';

interface Found {
  type: PiiType;
  start: number;
  end: number;
}

/** A text without the keys, tokens and passwords that are found in it: `[api_key]` stands in place of each. Takes linear time. */
export function hideCredentials(text: string): string {
  const value = createText(text);
  const found: Found[] = [];
  for (const detector of secretDetectors) {
    detector.find(value, (type, start, end) => found.push({ type, start, end }));
  }
  if (found.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { type, start, end } of found.sort((a, b) => a.start - b.start)) {
    if (start >= at) shown += `${text.slice(at, start)}[${type}]`;
    at = Math.max(at, end);
  }
  return shown + text.slice(at);
}
