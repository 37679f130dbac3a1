import type { Detector } from '../detector.ts';
import { matchAt } from '../text/characters.ts';

/** `user:password@` in front of a host. */
const userAndPassword = /([^\s/?#@:'"`<>\\]{0,100}):([^\s/?#@'"`<>\\]{1,150})(?=@[A-Za-z0-9[])/y;

/** How documentation and templates fill in a password. */
const placeholder =
  /^(?:your|my.?pass|[$%{([<]|(?:pass(?:word|wd)?|pwd|pw|secret|token|change.?me|user(?:name)?|example|redacted|[*.•x_-]{1,150})$)/i;

/** Finds URLs with a name and password in them, such as those of databases. */
export const credentialUrlDetector: Detector = {
  types: ['credential_url'],
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
