import type { PhoneCandidate } from './phone-candidate.ts';

/** Words that name the number behind them, with no digit in between. */
const nameBefore =
  /(?:\b(?:tele)?(?:phone|fax)s?\b|phone_?(?:no|num|number)?\b|\b(?:tel|telephone|mobile|mob|cell|cellphone|landline|hotline|helpline|whatsapp|sms|dial|desk|handy|telefon|téléphone|telefone|teléfono|telefono|móvil|movil|celular|cellulare|portable|mobil|gsm)\b|тел|電話|电话|手机|携帯)[^\d\n]{0,32}(?:\n[^\d\n]{0,8})?$/i;

/** Words that say so only of a number in groups: they stand before many other things. */
const hintBefore =
  /\b(?:call|calls|called|calling|ring|reach|reached|contact|text|texted|answering|messages?)\b(?![ _-]?(?:id|ids|stack|count|size|token|tokens|number)\b)[^\d\n]{0,32}$/i;

const nameBehind = /^(?: ?[-–] ?| ?\(| )(?:office|fax|mobile|cell|phone|tel|desk|home|work)\b/i;

/** Where a word says that a candidate is a phone number: `named` before it, `behind` it, or a `hint` before it; null for nowhere. */
export type PhoneNaming = 'named' | 'behind' | 'hint' | null;

/** Looks for the words around a candidate. */
export function findPhoneNaming({ text, start, end }: PhoneCandidate): PhoneNaming {
  if (nameBehind.test(text.slice(end, end + 12))) return 'behind';
  const before = text.slice(Math.max(0, start - 48), start);
  if (nameBefore.test(before)) return 'named';
  return hintBefore.test(before) ? 'hint' : null;
}
