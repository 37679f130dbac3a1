import { Rewriting, type Rewritten } from './rewriting.ts';

/** They join the parts of a number or address, or hide in it. */
const entities: Readonly<Record<string, string>> = {
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  zwj: '',
  zwnj: '',
  commat: '@',
  period: '.',
  plus: '+',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  ndash: '-',
  minus: '-',
  num: '#',
  colon: ':',
  equals: '=',
  sol: '/',
  amp: '&',
};

const lineEnds: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: ' ' };

function toCharacter(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Invalid bytes are left as they are. */
function decodePercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/**
 * An escape of HTML (`&#64;`), of URLs (`%40`) or of strings in code (`\u0040`, `\x40`, `
 * `); anything else unchanged.
 */
function decodeEscape(escaped: string): string {
  const [, entity, hex, decimal] = /^&(?:([a-z]+)|#x([\da-f]+)|#(\d+));?$/i.exec(escaped) ?? [];
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? escaped;
  if (hex !== undefined || decimal !== undefined) return toCharacter(hex ? Number.parseInt(hex, 16) : Number(decimal));
  if (escaped.startsWith('%')) return decodePercent(escaped);
  const [, code, end] = /^\\+(?:[ux]\{?([\da-f]+)\}?|([nrt]))$/i.exec(escaped) ?? [];
  if (code !== undefined) return toCharacter(Number.parseInt(code, 16));
  return end === undefined ? escaped : (lineEnds[end] ?? escaped);
}

const unseen = /^(?:[\p{DI}\p{Cf}\p{Script=Inherited}]|[^\P{Cc}\t-\r\x85])$/u;
const space = /^[\u2800\p{Zs}]$/u;
const line = /^[\x85\p{Zl}\p{Zp}]$/u;
const dash = /^[\u2010-\u2015\u207b\u208b\u2212\ufe58\ufe63\uff0d]$/;
const decimal = /^\p{Nd}$/u;
const ascii = /^[ -~]{1,4}$/;

/** No normalization form knows these digits and letters in circles and squares. */
const rows: readonly [first: number, last: number, meaning: number | 'A'][] = [
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x1f10b, 0x1f10b, 0],
  [0x1f10c, 0x1f10c, 0],
  [0x1f150, 0x1f169, 'A'],
  [0x1f170, 0x1f189, 'A'],
];

function readRow(code: number): string | null {
  const [first, , meaning] = rows.find(([from, to]) => code >= from && code <= to) ?? [];
  if (first === undefined || meaning === undefined) return null;
  return meaning === 'A' ? String.fromCharCode(65 + code - first) : String(meaning + code - first);
}

/** Unicode has the digits of each script in rows of ten, so it counts those before this one. */
function readDecimal(code: number): string {
  let before = 0;
  while (before < 50 && decimal.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

/** A text has few different ones, and finding one takes about a microsecond. */
const forms = new Map<string, string>();
const maxForms = 4_096;

/**
 * A code point as a keyboard writes it: digits, letters, signs, spaces and dashes become ASCII, invisible characters nothing.
 */
function toPlainForm(character: string): string {
  const known = forms.get(character);
  if (known !== undefined) return known;
  const form = findPlainForm(character);
  if (forms.size < maxForms) forms.set(character, form);
  return form;
}

function findPlainForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (unseen.test(character)) return '';
  if (code < 128) return character;
  if (space.test(character)) return ' ';
  if (line.test(character)) return '\n';
  if (dash.test(character)) return '-';
  const normal = character.normalize('NFKC');
  if (ascii.test(normal)) return normal;
  const [first = ''] = normal;
  if (decimal.test(first)) return readDecimal(first.codePointAt(0) ?? 0);
  return readRow(code) ?? character;
}

/**
 * In this order: escapes of HTML, of URLs, of strings in code; colours of a terminal; emphasis within a number; a long dash within
 * one; invisible characters; characters in another form; all digits but those of ASCII.
 */
const masked =
  /&(?:#[Xx][\dA-Fa-f]{1,6}|#\d{1,7}|(?:nbsp|ensp|emsp|thinsp|shy|zwn?j|commat|period|plus|lowbar|hyphen|n?dash|minus|num|colon|equals|sol|amp)(?=;));?|%(?:[2-7][\dA-Fa-f]|[C-Fc-f][\dA-Fa-f](?:%[89ABab][\dA-Fa-f]){1,3})|\\{1,16}(?:u(?:[\dA-Fa-f]{4}|\{[\dA-Fa-f]{1,6}\})|x[\dA-Fa-f]{2}|[nrt])|[^\P{Cc}\t-\r\x85]\[[\d;]{0,20}[A-Za-z]|(?:\*(?<=\d[ .-]?\*)\*{0,2}|_(?<=\d[ .-]?_)_|~(?<=\d[ .-]?~)~|`(?<=\d[ .-]?`)|<(?<=\d[ .-]?<)\/?(?:b|i|u|s|em|strong|span|code|mark|wbr|sub|sup)>)(?=[ .-]?[\d*_~`<])|[\u2014\u2015](?<=\d.)(?=\d)|(?:[\p{DI}\p{Cf}\p{Script=Inherited}]|[^\P{Cc}\t-\r\x85]){1,256}|[\x85\u00a0\u00b2\u00b3\u00b9\u2000-\u200a\u2010-\u2013\u2028\u2029\u202f\u205f\u2070-\u209c\u2100-\u214f\u2212\u2460-\u24ff\u2776-\u2793\u2800\u3000\ufe50-\ufe6b\uff02-\uff0b\uff0d-\uff1a\uff1c-\uff1e\uff20-\uff5e]|[\u1680\u{1ccd6}-\u{1ccf9}\u{1d400}-\u{1d7ff}\u{1f100}-\u{1f10c}\u{1f130}-\u{1f189}]|[^\P{Nd}0-9]/gu;

/** What is written otherwise begins with one of these; most texts have none. */
export const mayBeMasked = /[^\t-\r -~]|[%&*<\\_`~]/;

function unmaskOne(found: string): string {
  const first = found.charCodeAt(0);
  if ((first < 32 && found.length > 1) || '*_~`<'.includes(found.charAt(0))) return '';
  const isEscape = first < 128 && found.length > 1;
  return Array.from(isEscape ? decodeEscape(found) : found, toPlainForm).join('');
}

/** Null if that is as it is written. Linear. */
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

/** Tag characters are an invisible copy of ASCII that models read. */
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
