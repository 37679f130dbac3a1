import type { Detector, Report } from '../detector.ts';
import { matchAt } from '../text/characters.ts';
import { isPlaceholder, looksRandom } from './looks-random.ts';

const notPassword =
  /^(?:[$%{<[(@*#&|!]|(?:process|os|env|config|settings|secrets|self|this|var|data|req|request|user|props|state|form|args|input)[.[]|(?:md5|sha\d|bcrypt|argon2|scrypt|pbkdf2|base64|varchar|u?int\d|oauth2?|utf-?\d|https?:|file:)|pass(?:word|wd)?\d{0,2}$|[*.•x_-]{1,200}$)/i;

/** Bare words are mostly types, variables, or the next word of a sentence. */
function isPassword(value: string, quoted: boolean): boolean {
  if (notPassword.test(value) || isPlaceholder(value)) return false;
  if (!/\p{L}/u.test(value)) return /^\d{6,}$/.test(value);
  return /\d/.test(value) || (quoted && /[!@#$%^&*+~]/.test(value));
}

function isSecretKey(value: string): boolean {
  return value.length >= 16 && /^[\w+/=.~-]+$/.test(value) && /\d/.test(value) && looksRandom(value);
}

const maxName = 24;

const passwordName =
  /(?:password|passwd|passphrase|passcode|pwd|passwort|kennwort|contrase(?:ñ|n)a|senha|wachtwoord|mot de passe|(?:^|[^a-z])pass)$/i;
/** Tokens of pages and forms (`page_token`, `csrf_token`) are not secrets. */
const keyName =
  /(?:api[ _-]?key|(?:secret|private|account|encryption)[ _-]?(?:access[ _-]?)?key|client[ _-]?secret|(?:access|auth|api|bot|refresh|bearer)[ _-]?token|authorization)$/i;

/** The last letters of all those names, to skip most signs at once. */
const lastLetters = new Set('denastyDENASTY');

/** Characters between a name and its sign: quotes, which JSON within JSON escapes, emphasis, and a space. */
const besideName = '"\'`\\ *';

const opening = /[ =>*]{0,3}\\?(["'`]?)(?:Bearer |Basic |Token )?/iy;
const quotedValue = /[^\s"'`\\]{6,200}/y;
const bareValue = /[^\s"'`\\,;&|<>(){}[\]]{6,200}/y;
const quotes = '"\'`\\';
const codeBehind = '(["\'`\\';

/** @returns the offset behind it */
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

/** @returns the offset just after the assignment */
function readAssignment(text: string, sign: number, report: Report): number {
  let nameEnd = sign;
  while (nameEnd > 0 && nameEnd > sign - 4 && besideName.includes(text.charAt(nameEnd - 1))) nameEnd--;
  if (!lastLetters.has(text.charAt(nameEnd - 1))) return sign + 1;
  const name = text.slice(Math.max(0, nameEnd - maxName), nameEnd);
  if (passwordName.test(name)) return readValue(text, sign + 1, 'password', report);
  return keyName.test(name) ? readValue(text, sign + 1, 'credential', report) : sign + 1;
}

/** Known only by the name before them: `password: ...`, `api_key=...`. */
export const credentialDetector: Detector = {
  types: ['password', 'credential'],
  needs: /[:=]|assword is /,
  find({ value: text }, report) {
    for (const sign of [':', '=']) {
      let at = text.indexOf(sign);
      while (at >= 0) at = text.indexOf(sign, readAssignment(text, at, report));
    }
    let at = text.indexOf('assword is ');
    while (at >= 0) at = text.indexOf('assword is ', readValue(text, at + 'assword is'.length, 'password', report));
  },
};

const userAndPassword = /([^\s/?#@:'"`<>\\]{0,100}):([^\s/?#@'"`<>\\]{1,150})(?=@[A-Za-z0-9[])/y;

const placeholder =
  /^(?:your|my.?pass|[$%{([<]|(?:pass(?:word|wd)?|pwd|pw|secret|token|change.?me|user(?:name)?|example|redacted|[*.•x_-]{1,150})$)/i;

export const credentialUrlDetector: Detector = {
  types: ['credential_url'],
  needs: /:\/\//,
  find({ value: text }, report) {
    for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
      const [whole, user, password = ''] = matchAt(userAndPassword, text, at + 3) ?? [];
      // A default such as `postgres:postgres` is no secret.
      if (whole && password !== user && !placeholder.test(password)) {
        report('credential_url', at + 3, at + 3 + whole.length);
      }
    }
  },
};
