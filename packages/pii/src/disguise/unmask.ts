import { decodeEscape } from './decode-escape.ts';
import { toPlainForm } from './plain-form.ts';
import { Rewriting, type Rewritten } from './rewriting.ts';

/**
 * Characters that hide a number, an address or a key from a search but not from a reader. In this order: escapes of HTML, of URLs,
 * of strings in code; the colours of a terminal; emphasis of Markdown and HTML within a number; a long dash within one; invisible
 * characters; characters in another form; all digits but those of ASCII.
 */
const masked =
  /&(?:#[Xx][\dA-Fa-f]{1,6}|#\d{1,7}|(?:nbsp|ensp|emsp|thinsp|shy|zwn?j|commat|period|plus|lowbar|hyphen|n?dash|minus|num|colon|equals|sol|amp)(?=;));?|%(?:[2-7][\dA-Fa-f]|[C-Fc-f][\dA-Fa-f](?:%[89ABab][\dA-Fa-f]){1,3})|\\{1,16}(?:u(?:[\dA-Fa-f]{4}|\{[\dA-Fa-f]{1,6}\})|x[\dA-Fa-f]{2}|[nrt])|[^\P{Cc}\t-\r\x85]\[[\d;]{0,20}[A-Za-z]|(?:\*(?<=\d[ .-]?\*)\*{0,2}|_(?<=\d[ .-]?_)_|~(?<=\d[ .-]?~)~|`(?<=\d[ .-]?`)|<(?<=\d[ .-]?<)\/?(?:b|i|u|s|em|strong|span|code|mark|wbr|sub|sup)>)(?=[ .-]?[\d*_~`<])|[\u2014\u2015](?<=\d.)(?=\d)|(?:[\p{DI}\p{Cf}\p{Script=Inherited}]|[^\P{Cc}\t-\r\x85]){1,256}|[\x85\u00a0\u00b2\u00b3\u00b9\u2000-\u200a\u2010-\u2013\u2028\u2029\u202f\u205f\u2070-\u209c\u2100-\u214f\u2212\u2460-\u24ff\u2776-\u2793\u2800\u3000\ufe50-\ufe6b\uff02-\uff0b\uff0d-\uff1a\uff1c-\uff1e\uff20-\uff5e]|[\u1680\u{1ccd6}-\u{1ccf9}\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f10c}\u{1f130}-\u{1f189}]|[^\P{Nd}0-9]/gu;

/** Every match begins with one of these. Most texts have none, which this finds several times faster. */
const mayBeMasked = /[^\t-\r -~]|[%&*<\\_`~]/;

function unmaskOne(found: string): string {
  const first = found.charCodeAt(0);
  if ((first < 32 && found.length > 1) || '*_~`<'.includes(found.charAt(0))) return '';
  const isEscape = first < 128 && found.length > 1;
  return Array.from(isEscape ? decodeEscape(found) : found, toPlainForm).join('');
}

/** A text as people read it; null if that is as it is written. Takes time linear in its length. */
export function unmask(text: string): Rewritten | null {
  const first = text.search(mayBeMasked);
  if (first < 0) return null;
  masked.lastIndex = first;
  const rewriting = new Rewriting(text);
  for (let match = masked.exec(text); match; match = masked.exec(text)) {
    const [found] = match;
    const plain = unmaskOne(found);
    if (plain !== found) rewriting.replace(match.index, masked.lastIndex, plain);
  }
  return rewriting.isChanged ? rewriting : null;
}

const tag = /[\u{e0020}-\u{e007e}]/gu;

/** The text written in tag characters, an invisible copy of ASCII that models read; null without any. */
export function readTags(text: string): Rewritten | null {
  tag.lastIndex = 0;
  const rewriting = new Rewriting(text);
  let end = 0;
  for (let match = tag.exec(text); match; match = tag.exec(text)) {
    if (match.index > end) rewriting.replace(end, match.index, ' ');
    end = tag.lastIndex;
    rewriting.replace(match.index, end, String.fromCharCode((match[0].codePointAt(0) ?? 0) - 0xe0000));
  }
  if (rewriting.isChanged && end < text.length) rewriting.replace(end, text.length, '');
  return rewriting.isChanged ? rewriting : null;
}
