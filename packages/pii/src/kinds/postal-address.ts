import type { Detector } from '../detector.ts';
import { hasWordNear, isAsciiLetter, isDigit, isWordUnit, matchAt } from '../text/characters.ts';
import { enough, type Part, readPart } from './address-parts.ts';
import { visitNumbers } from './detect-digits.ts';

const british = /[A-PR-UWYZ][A-HK-Y]?\d[A-HJKPSTUW\d]? \d[ABD-HJLNP-UW-Z]{2}/y;
const canadian = /[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d/y;
const dutch = /[1-9]\d{3} [A-Z]{2}/y;

const anyCode = /[A-Z]{0,2}\d[\dA-Z]{1,7}(?:[ -][\dA-Z]{2,4})?/y;
const codeWords =
  /(?:\bzip(?: ?code)?|\bpost(?:al)? ?code|\bpostleitzahl|\bplz|\bcode postal|\bc[óo]digo postal|\bcep|\bcap)\b[ :=#]{1,3}(?:is )?[A-Z]{0,2}$/i;

const measures = /(?:GB|TB|PB|HZ|ED)$/;

function findPostcode(text: string, start: number, end: number): Part | null {
  let first = start;
  while (start - first < 2 && isCapitalUnit(text.charCodeAt(first - 1))) first--;
  if (isWordUnit(text.charCodeAt(first - 1))) return null;
  const part = (weight: number, last: number): Part => ({ kind: 'code', weight, start: first, end: last });
  if (end - start >= 2 && mayEndWords(text, first) && codeWords.test(text.slice(Math.max(0, start - 24), start))) {
    const last = findEnd(anyCode, text, first);
    return last === null ? null : part(enough, last);
  }
  if (first < start) {
    const last = findEnd(british, text, first) ?? findEnd(canadian, text, first);
    if (last === null) return null;
    // "M4 3LR" is a screw, and "SW2 8GB" a disk, as often as a place.
    const isCommon = text[first + 2] === ' ' || measures.test(text.slice(first, last));
    return part(isCommon ? 1 : enough, last);
  }
  const last = end - start === 4 ? findEnd(dutch, text, first) : null;
  return last === null || /^\s(?:AM|PM|AD|BC|CE|KB|MB|GB|TB|MS|US|UK|EU|UTC|IN|OR)/.test(text.slice(end, last))
    ? null
    : part(1, last);
}

const isCapitalUnit = (unit: number): boolean => unit >= 65 && unit <= 90;

function mayEndWords(text: string, at: number): boolean {
  let end = at;
  while (at - end < 4 && ' :=#'.includes(text.charAt(end - 1))) end--;
  return end < at && 'pelzsPELZS'.includes(text.charAt(end - 1) || ' ');
}

function findEnd(pattern: RegExp, text: string, at: number): number | null {
  return matchAt(pattern, text, at) && !isWordUnit(text.charCodeAt(pattern.lastIndex)) ? pattern.lastIndex : null;
}

const maxDigits = 6;

const words =
  /\baddress|\blives? (?:at|on|in)\b|\bliving at\b|\blocated (?:at|on)\b|\breside|\bship(?:ped|ping)? (?:it )?to\b|\bdeliver(?:y|ed)? (?:it |this )?to\b|\bsen[dt] (?:it |this )?to\b|\b(?:return|move) (?:it |this )?to\b|\badresse\b|\bdirecci[óo]n|\bindirizzo|\bendereço|\badres\b/i;
const reach = 48;

const announcement =
  /(?:\baddress(?:es)?\b[^\d]{0,16}|\b(?:lives?|living|resid(?:es|ing)) (?:at|on) |\bmeet (?:me |you |us )?at |\b(?:office|restaurant|shop|store|house|hotel|clinic|school) is (?:at|on) |\b(?:ship|deliver|return)(?:ed|y)? (?:it |this )?to |\bdrops? (?:you |me |us )?off at |\btaxi to |\bcorner of (?:the )?|\b(?:north|south|east|west) side of |\b(?:adresse|direcci[óo]n|indirizzo|endereço|adres)[: ]{1,2})[\d\s]{0,8}$/i;

/** From the first part to the end of the last: what is longer is several addresses. */
const maxLength = 192;
const maxGap = 48;
const gap = /^[\p{L}\p{M}\d\s,.'()/-]*$/u;
const lineStart = /\n[>|*?•-]{1,4}(?: |$)/g;
const sentenceEnd =
  /[.] +\p{Lu}?\p{Ll}{2}|\b(?:and|or|is|are|was|were|has|have|with|for|from|that|this|then|but|we|you|it)\b/u;

/**
 * Each number is read with the words around it; parts with no more than a town's name between them are one finding if they weigh enough.
 */
export const postalAddressDetector: Detector = {
  types: ['postal_address'],
  needs: /^(?=.*?\d).*(?:[\s,:=#]|\D\.\d)/s,
  find({ value }, report) {
    let open: Cluster | null = null;
    const close = (cluster: Cluster) => {
      if (weigh(value, cluster) >= enough) report('postal_address', cluster.start, cluster.end);
    };
    visitNumbers(value, (start, end) => {
      open = followNumber(value, start, end, open, close);
    });
    if (open !== null) close(open);
  },
};

/** @returns the parts that are open behind a number, those before it or new ones */
export function followNumber(
  text: string,
  start: number,
  end: number,
  open: Cluster | null,
  close?: (cluster: Cluster) => void,
): Cluster | null {
  const part =
    end - start > maxDigits || isAmongNumbers(text, start, end)
      ? null
      : (findPostcode(text, start, end) ?? readNumber(text, start, end));
  if (part === null) return open;
  if (open === null) return join({ ...part, weights: {} }, part);
  if (continues(text, open, part)) return join(open, part);
  close?.(open);
  const rest = { ...part, start: Math.max(part.start, open.end) };
  return join({ ...rest, weights: {} }, rest);
}

/** Numbers on both sides, of digits alone, with a space between. */
function isAmongNumbers(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start - 1) !== 32 || text.charCodeAt(end) !== 32) return false;
  let [first, last] = [start - 2, end + 1];
  while (isDigit(text.charCodeAt(first)) && start - first < 20) first--;
  while (isDigit(text.charCodeAt(last)) && last - end < 20) last++;
  const isApart = (unit: number) => unit === 32 || Number.isNaN(unit);
  return first < start - 2 && last > end + 1 && isApart(text.charCodeAt(first)) && isApart(text.charCodeAt(last));
}

/** Parts of an address next to each other. */
export interface Cluster {
  readonly start: number;
  readonly end: number;
  readonly kind: Part['kind'];
  readonly weights: Readonly<Partial<Record<Part['kind'], number>>>;
}

function join(cluster: Cluster, part: Part): Cluster {
  return {
    start: Math.min(cluster.start, part.start),
    end: Math.max(cluster.end, part.end),
    kind: part.kind,
    weights: { ...cluster.weights, [part.kind]: Math.max(cluster.weights[part.kind] ?? 0, part.weight) },
  };
}

function weigh(text: string, { start, end, weights }: Cluster): number {
  const { name = 0, ...others } = weights;
  const weight = Object.values(others).reduce((sum, one) => sum + one, name);
  if (weight < 1 || weight >= enough) return weight;
  const isAnnounced = name > 0 && hasWordNear(text, start, end, announcement, reach, 0);
  return isAnnounced || (weight > name && hasWordNear(text, start, end, words, reach, 0)) ? enough : weight;
}

function readNumber(text: string, start: number, end: number): Part | null {
  if (isWordUnit(text.charCodeAt(start - 1)) || isDecimal(text, start, end)) return null;
  const afterLetter = isAsciiLetter(text.charCodeAt(end)) ? end + 1 : end;
  return isWordUnit(text.charCodeAt(afterLetter)) ? null : readPart(text, start, afterLetter);
}

function isDecimal(text: string, start: number, end: number): boolean {
  const [before, behind] = [text.charAt(start - 1), text.charAt(end)];
  return (
    (before !== '' && '$€£¥'.includes(before)) ||
    (behind !== '' && '%€°'.includes(behind)) ||
    (isPoint(before) && isDigit(text.charCodeAt(start - 2))) ||
    (isPoint(behind) && isDigit(text.charCodeAt(end + 1)))
  );
}

const isPoint = (character: string): boolean => character === '.' || character === ':' || character === ',';

/** Whether a part may be of the same address. A `tail` joins only a part directly before or after it. */
export function continues(text: string, cluster: Cluster, part: Pick<Part, 'kind' | 'start' | 'end'>): boolean {
  if (Math.max(part.end, cluster.end) - Math.min(part.start, cluster.start) > maxLength) return false;
  if (part.start <= cluster.end) return true;
  if (part.start - cluster.end > maxGap) return false;
  const between = text.slice(cluster.end, part.start);
  if (part.kind === 'tail' || cluster.kind === 'tail') return /^[\s,.]{1,4}$/.test(between);
  return gap.test(between.replaceAll(lineStart, '\n')) && !sentenceEnd.test(between);
}
