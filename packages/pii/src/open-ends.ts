import { findOpenPrivateKey } from './kinds/keys.ts';
import { findOpenAddress } from './kinds/open-address.ts';
import { type PiiType, piiGroups } from './pii-types.ts';

/** How findings of some types begin near the end of a text that goes on. */
export interface OpenEnd {
  readonly types: readonly PiiType[];
  /** The most UTF-16 units that may wait: those of the longest finding, and those behind it that decide. */
  readonly held: number;
  /** Matches in the last of these units, or finds, what more text would make, change or end. More costs time, less lets it through. */
  readonly open: RegExp | ((end: string) => number);
}

export function searchEnd(end: string, open: OpenEnd['open']): number {
  const at = typeof open === 'function' ? open(end) : end.search(open);
  return at < 0 ? end.length : at;
}

const word = /(?<![\w+/=.-])[\w+/=.-]+$/;
const host = /(?<![\dA-Fa-f:./-])[\dA-Fa-f:./-]+$/;
const named =
  /\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d)*\W?$|\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d){8,}.{0,23}$/s;

const phone =
  /[\d+(][\d+() ./\u00a0\u2009\u202f\u2010-\u2013-]*\W?$|[+(]{0,2}(?:\d[+() ./\u00a0\u2009\u202f\u2010-\u2013-]*){7,}.{0,29}$/s;
const iban = /(?<!\w)[A-Za-z](?:[A-Za-z](?:\d(?:\d(?:[ \u00a0\u202f-]?[A-Za-z\d]){0,30}[ \u00a0\u202f-]?)?)?)?$/;
const passport =
  /(?<![A-Za-z\d])[A-Z\d]+\W?$|(?:[A-Z]{0,4}\d){4,}[A-Z]{0,4}.{0,23}$|P[A-Z<]{0,43}$|P[A-Z<]{43}\s{0,3}[A-Z0-9<]{0,43}$/s;
const birthday =
  /(?:\d{1,4}[-\d./ 年년月월日일]{0,12}|\d{1,2}(?:st|nd|rd|th|[.ºsnrt])?(?: \p{L}{0,12}){0,2}[.,]{0,2}(?: d?e?)?(?: \d{0,4})?|\p{L}{1,12}\.?(?: (?:\d{1,2}(?:st|nd|rd|th|[snrt])?,?(?: \d{0,4})?)?)?)$/u;
const nationalId =
  /(?:[A-Z]{1,6}[ -]?)?\d[\dA-Z]*(?:[ ./+\u00a0\u2009\u202f\u2010-\u2013-][\dA-Z]+)*[kx]?\W?$|(?<![A-Za-z\d])[A-Z]{1,6}[ -]?$|(?:[A-Z]{1,6}[ -]?)?\d(?:[A-Z ./+\u00a0\u2009\u202f\u2010-\u2013-]{0,6}\d){5,}[\dA-Zkx ./+-]{0,3}.{0,23}$/s;
const value = /(?<=[:=]|assword is)[ =>*]{0,3}\\?["'`]?(?:(?:Bearer|Basic|Token) )?[^\s"'`\\]{0,200}$/i;
const privateKey = (end: string) => Math.min(findOpenPrivateKey(end), Math.max(searchEnd(end, word), end.length - 75));
const nationalIds = piiGroups.identity.filter((type) => type.startsWith('national_id_'));

function findOpenJwt(end: string): number {
  const start = searchEnd(end, word);
  return start + searchEnd(end.slice(start), /(?<![A-Za-z\d])(?:eyJ|ey?$)/);
}

/** In the order of docs/pii.md. */
export const openEnds: readonly OpenEnd[] = [
  { types: ['email'], held: 320, open: /(?<![\w\u00c0-\u052f.%+'@-])[\w\u00c0-\u052f.%+'@-]+$/ },
  { types: ['phone'], held: 67, open: phone },
  { types: ['credit_card'], held: 25, open: /\d(?:[ ./\u00a0\u2009\u202f\u2010-\u2013-]?\d)*\W?$/ },
  { types: ['iban'], held: 66, open: iban },
  { types: ['us_bank_routing'], held: 35, open: named },
  { types: ['crypto_wallet'], held: 91, open: /(?<![A-Za-z\d])[013bB][A-Za-z\d]*$|0x[\dA-Fa-f]{40}.{0,24}$/s },
  { types: ['ip_address'], held: 49, open: host },
  { types: ['mac_address'], held: 19, open: host },
  { types: ['us_ssn'], held: 41, open: named },
  { types: ['passport'], held: 91, open: passport },
  { types: ['date_of_birth'], held: 31, open: birthday },
  { types: ['postal_address'], held: 355, open: findOpenAddress },
  { types: nationalIds, held: 45, open: nationalId },
  { types: ['api_key'], held: 309, open: /(?<![\w+/=.-])[\w+/=.-]+$|SK[\da-f]{32}.{0,99}$/s },
  { types: ['aws_key'], held: 41, open: word },
  { types: ['github_token'], held: 94, open: word },
  { types: ['jwt'], held: 16_384, open: findOpenJwt },
  { types: ['private_key'], held: 32_768, open: privateKey },
  { types: ['credential_url'], held: 256, open: /(?<=:\/\/)[^\s/?#@:'"`<>\\]{0,100}(?::[^\s/?#@'"`<>\\]{0,150}@?)?$/ },
  { types: ['password', 'credential'], held: 224, open: value },
];
