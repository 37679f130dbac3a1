/** Invisible characters: ignorable ones, controls of direction and of terminals, and marks that combine with a letter. */
const unseen = /^(?:[\p{DI}\p{Cf}\p{Script=Inherited}]|[^\P{Cc}\t-\r\x85])$/u;
const space = /^[\u2800\p{Zs}]$/u;
const line = /^[\x85\p{Zl}\p{Zp}]$/u;
const dash = /^[\u2010-\u2015\u207b\u208b\u2212\ufe58\ufe63\uff0d]$/;
const decimal = /^\p{Nd}$/u;
const ascii = /^[ -~]{1,4}$/;

/** Digits and letters in circles and squares that no normalization form knows, with the meaning of each row's first. */
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

/** Unicode has the digits of each script in rows of ten, some rows right behind each other: counts the digits before this one. */
function readDecimal(code: number): string {
  let before = 0;
  while (before < 50 && decimal.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}

/** Forms found so far: a text has few different ones of these characters, and finding one takes about a microsecond. */
const forms = new Map<string, string>();
const maxForms = 4_096;

/**
 * A character as a keyboard writes it: a digit of any script, a letter or sign in another form (full width, bold, in a circle)
 * and any kind of space or dash become ASCII, invisible characters become nothing, and all others are unchanged.
 *
 * @param character one code point
 */
export function toPlainForm(character: string): string {
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
