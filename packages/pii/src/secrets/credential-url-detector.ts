import type { Detector } from '../detector.ts';

/** `user:password@` in front of a host. Names and passwords are shorter than this together. */
const userAndPassword = /([^\s/?#@:'"`<>\\]{0,100}):([^\s/?#@'"`<>\\]{1,150})(?=@[A-Za-z0-9[])/y;

/** What documentation and templates write for a password. */
const placeholder =
  /^(?:your|my.?pass|[$%{([<]|(?:pass(?:word|wd)?|pwd|pw|secret|token|change.?me|user(?:name)?|example|redacted|[*.•x_-]{1,150})$)/i;

/** URLs with a name and password in them, such as those of databases. */
export const credentialUrlDetector: Detector = {
  types: ['credential_url'],
  find({ value: text }, report) {
    for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
      userAndPassword.lastIndex = at + 3;
      const [whole, user, password = ''] = userAndPassword.exec(text) ?? [];
      // A default such as `postgres:postgres` is no secret.
      if (whole && password !== user && !placeholder.test(password)) {
        report('credential_url', at + 3, at + 3 + whole.length);
      }
    }
  },
};
