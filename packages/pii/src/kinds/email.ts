import type { Detector } from '../detector.ts';
import { isWordUnit } from '../text/characters.ts';

const maxLocal = 64;
const maxDomain = 255;

/** Endings of file names that are no top-level domains: `icon@2x.png`. */
const fileEndings = new Set(
  'avif bin cfg conf css csv dll exe gif htm html ico ini jar java jpeg jpg js json jsx lock log mjs pdf php png scss sql svg toml ts tsx txt vue webp xml yaml yml'.split(
    ' ',
  ),
);

const topLevel = /^(?:xn--[a-z0-9-]{2,59}|[^\d.-]{2,24})$/i;
const version = /^v?\d{1,9}\.\d/i;
const label = /^[^-](?:.{0,61}[^-])?$/;

const dot = 46;
const hyphen = 45;
const plus = 43;
const percent = 37;
const apostrophe = 39;

const isDomainUnit = (unit: number): boolean => (isWordUnit(unit) && unit !== 95) || unit === dot || unit === hyphen;

const isLocalUnit = (unit: number): boolean =>
  isWordUnit(unit) || unit === dot || unit === hyphen || unit === plus || unit === percent || unit === apostrophe;

/** At most 64 units, no two dots in a row. */
function findLocalStart(text: string, at: number): number {
  const earliest = Math.max(0, at - maxLocal);
  let start = at;
  while (start > earliest && isLocalUnit(text.charCodeAt(start - 1))) {
    if (text.charCodeAt(start - 1) === dot && text.charCodeAt(start) === dot) break;
    start--;
  }
  while (start < at && !isWordUnit(text.charCodeAt(start))) start++;
  return start;
}

function findDomainEnd(text: string, start: number): number {
  const latest = Math.min(text.length, start + maxDomain);
  let end = start;
  while (end < latest && isDomainUnit(text.charCodeAt(end))) {
    if (text.charCodeAt(end) === dot && text.charCodeAt(end - 1) === dot) break;
    end++;
  }
  while (end > start && !isWordUnit(text.charCodeAt(end - 1))) end--;
  return end;
}

function isMailDomain(domain: string): boolean {
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  return (
    labels.length > 1 &&
    topLevel.test(last) &&
    !fileEndings.has(last.toLowerCase()) &&
    !version.test(domain) &&
    labels.every((part) => label.test(part))
  );
}

function isUrlUser(text: string, start: number, at: number, end: number): boolean {
  if (/\/\/[^\s/@]{0,64}$/.test(text.slice(Math.max(0, start - 66), start))) return true;
  const next = text.charCodeAt(end);
  return text.slice(start, at) === 'git' && (next === 58 || next === 47);
}

/**
 * As people write them (RFC 5321 sizes), in Latin, Greek and Cyrillic letters. Skips package versions (`left-pad@1.3.0`), file names and
 * users in URLs.
 */
export const emailDetector: Detector = {
  types: ['email'],
  needs: /@/,
  find({ value }, report) {
    for (let at = value.indexOf('@'); at >= 0; at = value.indexOf('@', at + 1)) {
      if (!isLocalUnit(value.charCodeAt(at - 1)) || !isDomainUnit(value.charCodeAt(at + 1))) continue;
      const start = findLocalStart(value, at);
      const end = findDomainEnd(value, at + 1);
      if (start === at || value.charCodeAt(at - 1) === dot || !isMailDomain(value.slice(at + 1, end))) continue;
      if (!isUrlUser(value, start, at, end)) report('email', start, end);
    }
  },
};
