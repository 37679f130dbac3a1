import type { Detector, Report } from '../detector.ts';
import { isWordUnit } from '../text/characters.ts';

const reserved = /^(?:0{12}|f{12})$/i;

interface Form {
  separator: string;
  step: number;
  length: number;
  pattern: RegExp;
  /** Only digits between hyphens could be a date, only letters between dots a host. */
  needs: RegExp;
}

const forms: readonly Form[] = [
  { separator: ':', step: 3, length: 17, pattern: /^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$/, needs: /[0-9a-f]/i },
  { separator: '-', step: 3, length: 17, pattern: /^(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}$/, needs: /[a-f]/i },
  {
    separator: '.',
    step: 5,
    length: 14,
    pattern: /^(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}$/,
    needs: /\d.{0,13}[a-f]|[a-f].{0,13}\d/i,
  },
];

function findForm(text: string, { separator, step, length, pattern, needs }: Form, report: Report): void {
  const unit = separator.charCodeAt(0);
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) {
    if (text.charCodeAt(at + step) !== unit) continue;
    const start = at - step + 1;
    const end = start + length;
    const address = text.slice(Math.max(0, start), end);
    if (!pattern.test(address) || !needs.test(address) || reserved.test(address.replaceAll(separator, ''))) continue;
    // A longer chain is a fingerprint or an IPv6 address.
    const before = text.charCodeAt(start - 1);
    const after = text.charCodeAt(end);
    if (before === unit || isWordUnit(before) || isWordUnit(after)) continue;
    if (after === unit && isWordUnit(text.charCodeAt(end + 1))) continue;
    report('mac_address', start, end);
    at = end - 1;
  }
}

/** Finds hardware addresses such as `00:1a:2b:3c:4d:5e`, `00-1A-2B-3C-4D-5E` and `001a.2b3c.4d5e`. */
export const macAddressDetector: Detector = {
  types: ['mac_address'],
  needs: /([:-])[\dA-Fa-f]{2}\1|\.[\dA-Fa-f]{4}\./,
  find({ value }, report) {
    for (const form of forms) findForm(value, form, report);
  },
};
