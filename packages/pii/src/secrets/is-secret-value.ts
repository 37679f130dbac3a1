import { isPlaceholder, looksRandom } from './looks-random.ts';

/** Code, types, names of algorithms and templates, rather than a password. */
const notPassword =
  /^(?:[$%{<[(@*#&|!]|(?:process|os|env|config|settings|secrets|self|this|var|data|req|request|user|props|state|form|args|input)[.[]|(?:md5|sha\d|bcrypt|argon2|scrypt|pbkdf2|base64|varchar|u?int\d|oauth2?|utf-?\d|https?:|file:)|pass(?:word|wd)?\d{0,2}$|[*.•x_-]{1,200}$)/i;

/**
 * Whether the value assigned to a name for a password is one. Bare words are not: they are mostly types, variables and the
 * next word of a sentence.
 */
export function isPassword(value: string, quoted: boolean): boolean {
  if (notPassword.test(value) || isPlaceholder(value)) return false;
  if (!/\p{L}/u.test(value)) return /^\d{6,}$/.test(value);
  return /\d/.test(value) || (quoted && /[!@#$%^&*+~]/.test(value));
}

/** Whether the value assigned to a name for a key or token is one. */
export function isSecretKey(value: string): boolean {
  return value.length >= 16 && /^[\w+/=.~-]+$/.test(value) && /\d/.test(value) && looksRandom(value);
}
