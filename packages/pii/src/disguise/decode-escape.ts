/** HTML entities for characters that join the parts of a number or address, or hide in it. */
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

/** Decodes percent-encoded UTF-8. Invalid bytes are left as they are. */
function decodePercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/**
 * The text that an escape of HTML (`&#64;`, `&nbsp;`), of URLs (`%40`) or of strings in code (`\u0040`, `\x40`, `\n`) means; anything
 * else unchanged.
 */
export function decodeEscape(escaped: string): string {
  const [, entity, hex, decimal] = /^&(?:([a-z]+)|#x([\da-f]+)|#(\d+));?$/i.exec(escaped) ?? [];
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? escaped;
  if (hex !== undefined || decimal !== undefined) return toCharacter(hex ? Number.parseInt(hex, 16) : Number(decimal));
  if (escaped.startsWith('%')) return decodePercent(escaped);
  const [, code, end] = /^\\+(?:[ux]\{?([\da-f]+)\}?|([nrt]))$/i.exec(escaped) ?? [];
  if (code !== undefined) return toCharacter(Number.parseInt(code, 16));
  return end === undefined ? escaped : (lineEnds[end] ?? escaped);
}
