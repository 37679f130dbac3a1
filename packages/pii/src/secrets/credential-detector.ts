import type { Detector, Report } from '../detector.ts';
import { matchAt } from '../text/characters.ts';
import { isPassword, isSecretKey } from './is-secret-value.ts';

const maxName = 24;

/** Names for a password, at the end of the text before a sign. */
const passwordName =
  /(?:password|passwd|passphrase|passcode|pwd|passwort|kennwort|contrase(?:ñ|n)a|senha|wachtwoord|mot de passe|(?:^|[^a-z])pass)$/i;
/** Names for a key or token. Tokens of pages and forms (`page_token`, `csrf_token`) are not secrets. */
const keyName =
  /(?:api[ _-]?key|(?:secret|private|account|encryption)[ _-]?(?:access[ _-]?)?key|client[ _-]?secret|(?:access|auth|api|bot|refresh|bearer)[ _-]?token|authorization)$/i;

/** The last letters of all those names, to skip most signs at once. */
const lastLetters = new Set('denastyDENASTY');

/** Characters between a name and its sign: quotes, which JSON within JSON escapes, emphasis, and a space. */
const besideName = '"\'`\\ *';

/** The text between the sign and the value. The group is the quote of a quoted value. */
const opening = /[ =>*]{0,3}\\?(["'`]?)(?:Bearer |Basic |Token )?/iy;
const quotedValue = /[^\s"'`\\]{6,200}/y;
const bareValue = /[^\s"'`\\,;&|<>(){}[\]]{6,200}/y;
const quotes = '"\'`\\';
/** Behind a value without quotes these show that it is a call, an index or part of a string that code builds. */
const codeBehind = '(["\'`\\';

/** Reads the value that begins at an offset. @returns the offset behind it */
function readValue(text: string, at: number, type: 'password' | 'credential', report: Report): number {
  const quoted = Boolean(matchAt(opening, text, at)?.[1]);
  const start = opening.lastIndex;
  const pattern = quoted ? quotedValue : bareValue;
  if (!matchAt(pattern, text, start)) return start;
  const end = pattern.lastIndex;
  const behind = text.charAt(end);
  const isWhole = quoted ? behind !== '' && quotes.includes(behind) : behind === '' || !codeBehind.includes(behind);
  const value = text.slice(start, end).replace(/[.!?:]$/, '');
  if (isWhole && (type === 'password' ? isPassword(value, quoted) : isSecretKey(value))) {
    report(type, start, start + value.length);
  }
  return end;
}

/** Reads the assignment whose sign is at an offset. @returns the offset behind it */
function readAssignment(text: string, sign: number, report: Report): number {
  let nameEnd = sign;
  while (nameEnd > 0 && nameEnd > sign - 4 && besideName.includes(text.charAt(nameEnd - 1))) nameEnd--;
  if (!lastLetters.has(text.charAt(nameEnd - 1))) return sign + 1;
  const name = text.slice(Math.max(0, nameEnd - maxName), nameEnd);
  if (passwordName.test(name)) return readValue(text, sign + 1, 'password', report);
  return keyName.test(name) ? readValue(text, sign + 1, 'credential', report) : sign + 1;
}

/** Finds passwords, keys and tokens without a form of their own by the name before them: `password: ...`, `api_key=...`. */
export const credentialDetector: Detector = {
  types: ['password', 'credential'],
  find({ value: text }, report) {
    for (const sign of [':', '=']) {
      let at = text.indexOf(sign);
      while (at >= 0) at = text.indexOf(sign, readAssignment(text, at, report));
    }
    let at = text.indexOf('assword is ');
    while (at >= 0) at = text.indexOf('assword is ', readValue(text, at + 'assword is'.length, 'password', report));
  },
};
