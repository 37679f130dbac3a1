import type { Detector } from '../detector.ts';
import { isAsciiLetter, isDigit, isWordUnit } from '../text/characters.ts';
import { hasWordNear } from '../text/has-word-near.ts';
import { visitNumbers } from '../text/visit-numbers.ts';
import { findPostcode } from './find-postcode.ts';
import { enough, type Part, readPart } from './read-part.ts';

/** The most digits of a house number, box or postcode in one group. */
const maxDigits = 6;

/** A unit or postcode behind one of these words is part of an address. */
const words =
  /\baddress|\blives? (?:at|on|in)\b|\bliving at\b|\blocated (?:at|on)\b|\breside|\bship(?:ped|ping)? (?:it )?to\b|\bdeliver(?:y|ed)? (?:it |this )?to\b|\bsen[dt] (?:it |this )?to\b|\b(?:return|move) (?:it |this )?to\b|\badresse\b|\bdirecci[óo]n|\bindirizzo|\bendereço|\badres\b/i;
/** How far before it the words may be, in UTF-16 units. */
const reach = 48;

/** Any name with a number right behind one of these is an address. */
const announcement =
  /(?:\baddress(?:es)?\b[^\d]{0,16}|\b(?:lives?|living|resid(?:es|ing)) (?:at|on) |\bmeet (?:me |you |us )?at |\b(?:office|restaurant|shop|store|house|hotel|clinic|school) is (?:at|on) |\b(?:ship|deliver|return)(?:ed|y)? (?:it |this )?to |\bdrops? (?:you |me |us )?off at |\btaxi to |\bcorner of (?:the )?|\b(?:north|south|east|west) side of |\b(?:adresse|direcci[óo]n|indirizzo|endereço|adres)[: ]{1,2})[\d\s]{0,8}$/i;

/** Between the parts of one address: the name of a town, ends of lines, commas. */
const maxGap = 48;
const gap = /^[\p{L}\p{M}\d\s,.'()/-]*$/u;
/** The beginning of quoted and listed lines. */
const lineStart = /\n[>|*?•-]{1,4} /g;
const sentenceEnd =
  /[.] +\p{Lu}?\p{Ll}{2}|\b(?:and|or|is|are|was|were|has|have|with|for|from|that|this|then|but|we|you|it)\b/u;

/**
 * Finds postal addresses, on one line or several. Each number is read with the words around it; parts with no more than a town's
 * name between them are one finding if they weigh enough or follow words that announce an address.
 */
export const postalAddressDetector: Detector = {
  types: ['postal_address'],
  find({ value }, report) {
    let open: Cluster | null = null;
    const close = () => {
      if (open !== null && weigh(value, open) >= enough) report('postal_address', open.start, open.end);
      open = null;
    };
    visitNumbers(value, (start, end) => {
      if (end - start > maxDigits) return;
      const part = findPostcode(value, start, end) ?? readNumber(value, start, end);
      if (part === null) return;
      if (open !== null && continues(value, open, part)) {
        open = join(open, part);
        return;
      }
      close();
      open = join({ ...part, weights: {} }, part);
    });
    close();
  },
};

/** Parts of one address, with the greatest weight of each kind. */
interface Cluster {
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

/** Reads a house number or postcode. A letter may follow it, but none may precede it. */
function readNumber(text: string, start: number, end: number): Part | null {
  if (isWordUnit(text.charCodeAt(start - 1)) || isDecimal(text, start, end)) return null;
  const afterLetter = isAsciiLetter(text.charCodeAt(end)) ? end + 1 : end;
  return isWordUnit(text.charCodeAt(afterLetter)) ? null : readPart(text, start, afterLetter);
}

/** Whether this is a part of a decimal, time or version, or an amount of money or per cent. */
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

/** True if a part continues the address before it. A part of kind `tail` joins only a part directly before or after it. */
function continues(text: string, cluster: Cluster, part: Part): boolean {
  if (part.start <= cluster.end) return true;
  if (part.start - cluster.end > maxGap) return false;
  const between = text.slice(cluster.end, part.start);
  if (part.kind === 'tail' || cluster.kind === 'tail') return /^[\s,.]{1,4}$/.test(between);
  return gap.test(between.replaceAll(lineStart, '\n')) && !sentenceEnd.test(between);
}
