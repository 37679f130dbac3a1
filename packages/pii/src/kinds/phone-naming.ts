import { isDigit } from '../text/characters.ts';
import type { PhoneCandidate } from './phone-candidate.ts';

/** Words for the number behind them, with no digit and at most one line feed in between. */
const nameBefore =
  /(?:\b(?:tele)?(?:phone|fax)s?\b|phone_?(?:no|num|number)?\b|\b(?:tel|telephone|mobile|mob|cell|cellphone|landline|hotline|helpline|whatsapp|sms|dial|desk|handy|telefon|téléphone|telefone|teléfono|telefono|móvil|movil|celular|cellulare|portable|mobil|gsm)\b|тел|電話|电话|手机|携帯)/i;

/** Words that count only for a number in groups, since they precede many other things. */
const hintBefore =
  /\b(?:call|calls|called|calling|ring|reach|reached|contact|text|texted|answering|messages?)\b(?![ _-]?(?:id|ids|stack|count|size|token|tokens|number)\b)/i;

const nameBehind = /^(?: ?[-–] ?| ?\(| )(?:office|fax|mobile|cell|phone|tel|desk|home|work)\b/i;

/** Where a word for a phone number is: `named` before the candidate, `behind` it, or a `hint` before it; null for nowhere. */
export type PhoneNaming = 'named' | 'behind' | 'hint' | null;

const reach = 40;

/** The text between a candidate and the digit or the second line feed before it. */
function readBefore(text: string, end: number): string {
  let start = end;
  let lines = 0;
  for (; start > end - reach && start > 0; start--) {
    const unit = text.charCodeAt(start - 1);
    if (isDigit(unit) || (unit === 10 && ++lines > 1)) break;
  }
  return text.slice(start, end);
}

/** Looks for the words around a candidate. */
export function findPhoneNaming({ text, start, end }: PhoneCandidate): PhoneNaming {
  if (nameBehind.test(text.slice(end, end + 12))) return 'behind';
  const before = readBefore(text, start);
  if (nameBefore.test(before)) return 'named';
  return hintBefore.test(before) ? 'hint' : null;
}
