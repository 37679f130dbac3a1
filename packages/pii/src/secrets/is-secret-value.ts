import { isPlaceholder, looksRandom } from './looks-random.ts';

/** Code, types, names of algorithms and templates, rather than a password. */
const notPassword =
  /^(?:[$%{<[(@*#&|!]|(?:process|os|env|config|settings|secrets|self|this|var|data|req|request|user|props|state|form|args|input)[.[]|(?:md5|sha\d|bcrypt|argon2|scrypt|pbkdf2|base64|varchar|u?int\d|oauth2?|utf-?\d|https?:|file:)|pass(?:word|wd)?\d{0,2}$|[*.•x_-]{1,200}$)/i;

/**
 * True if a value assigned to a name such as `password` looks like a password. Bare words do not: they are mostly types, variables,
 * or the next word of a sentence.
 */
export function isPassword(value: string, quoted: boolean): boolean {
  if (notPassword.test(value) || isPlaceholder(value)) return false;
  if (!/\p{L}/u.test(value)) return /^\d{6,}$/.test(value);
  return /\d/.test(value) || (quoted && /[!@#$%^&*+~]/.test(value));
}

/** True if a value assigned to a name such as `api_key` looks like a key or token. */
export function isSecretKey(value: string): boolean {
  return value.length >= 16 && /^[\w+/=.~-]+$/.test(value) && /\d/.test(value) && looksRandom(value);
}
