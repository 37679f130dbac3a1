import type { Detector, Report } from '../detector.ts';
import { isAsciiLetter, isDigit, matchAt } from '../text/characters.ts';
import { hasWordNear } from '../text/has-word-near.ts';
import { findLongWords } from './find-long-words.ts';
import { type KeyFormat, keyFormats } from './key-formats.ts';
import { looksRandom } from './looks-random.ts';
import { readJwt } from './read-jwt.ts';

/** Formats by the first character of their keys. */
const formatsByFirst: readonly (readonly KeyFormat[])[] = Array.from({ length: 128 }, (_, unit) =>
  keyFormats.filter(({ prefix }) => prefix.charCodeAt(0) === unit),
);

const isAlphanumeric = (unit: number): boolean => isDigit(unit) || isAsciiLetter(unit);

/** The offset behind the key that begins at an offset, also behind a placeholder in the form of a key; 0 if none begins there. */
function readKey(text: string, start: number, report: Report): number {
  for (const { type, prefix, rest, accepts } of formatsByFirst[text.charCodeAt(start)] ?? []) {
    if (!text.startsWith(prefix, start)) continue;
    if (!matchAt(rest, text, start + prefix.length)) continue;
    const end = rest.lastIndex;
    if (accepts(text, start, end)) report(type, start, end);
    return end;
  }
  return 0;
}

const awsSecret = /[A-Za-z0-9/+]{40}(?![\w/+=-])/y;
const awsContext = /\baws|aws_|secret.?access.?key|\bA[KS]IA[A-Z2-7]{16}/i;

/** The secret half of an AWS key has no prefix: it is forty characters of base64 behind a word for it. */
function readAwsSecret(text: string, start: number, report: Report): number {
  if (!matchAt(awsSecret, text, start)) return 0;
  const end = start + 40;
  if (hasWordNear(text, start, end, awsContext, 100, 0) && looksRandom(text.slice(start, end))) {
    report('aws_key', start, end);
  }
  return end;
}

/** Where a word begins. In JSON within a text, the letter of `\n` or `\t` is not part of it. */
function wordStart(text: string, start: number): number {
  return text[start - 1] === '\\' && 'nrt'.includes(text.charAt(start)) ? start + 1 : start;
}

/** Finds keys by the form that their issuers gave them, AWS secrets, and JSON web tokens. */
export const keyDetector: Detector = {
  types: ['api_key', 'aws_key', 'github_token', 'jwt', 'private_key'],
  find({ value: text }, report) {
    findLongWords(text, (start, end) => {
      const first = wordStart(text, start);
      for (let at = first; at < end; ) {
        const isBehindSign = at > first && text[at - 1] === '=';
        let next = readKey(text, at, report);
        if (next === 0 && (at === first || isBehindSign)) next = readAwsSecret(text, at, report);
        if (next === 0 && text.startsWith('eyJ', at)) {
          const jwt = readJwt(text, at);
          if (jwt.found) report('jwt', at, jwt.end);
          next = jwt.end;
        }
        at = Math.max(next, at + 1);
        // A key begins where a word does.
        while (at < end && isAlphanumeric(text.charCodeAt(at - 1))) at++;
      }
    });
  },
};
