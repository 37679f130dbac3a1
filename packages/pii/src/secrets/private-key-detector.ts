import type { Detector } from '../detector.ts';
import { matchAt } from '../text/characters.ts';

const begin = '-----BEGIN ';
const header = /(?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END (?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/;

/** A line of the key itself; examples have dots or words instead. */
const keyLine = /[A-Za-z0-9+/]{40,100}/;

/** The key itself begins within so many units of the header, behind the headers of encrypted and PGP keys. */
const maxPreamble = 300;

/** Far past the largest RSA key. */
const maxLength = 32 * 1024;

/** Finds PEM and PGP blocks with private keys, also with line breaks written as `\n` and with the end cut off. */
export const privateKeyDetector: Detector = {
  types: ['private_key'],
  find({ value: text }, report) {
    let start = text.indexOf(begin);
    while (start >= 0) {
      const next = text.indexOf(begin, start + begin.length);
      if (matchAt(header, text, start + begin.length)) {
        const body = header.lastIndex;
        const block = text.slice(body, Math.min(next < 0 ? text.length : next, start + maxLength));
        const line = keyLine.exec(block.slice(0, maxPreamble));
        const end = footer.exec(block) ?? line;
        if (line && end) report('private_key', start, body + end.index + end[0].length);
      }
      start = next;
    }
  },
};
