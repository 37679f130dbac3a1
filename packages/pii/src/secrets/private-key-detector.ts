import type { Detector } from '../detector.ts';

const begin = '-----BEGIN ';
const header = /(?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END (?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/;

/** A line of the key itself. Examples have dots or words there. */
const keyLine = /[A-Za-z0-9+/]{40,100}/;

/** Within so many units of the header the key itself begins, behind what an encrypted or a PGP one says of itself. */
const maxPreamble = 300;

/** Far past the largest RSA key. */
const maxLength = 32 * 1024;

/** PEM and PGP blocks with private keys, also where their line breaks are written as `\n` and where their end is cut off. */
export const privateKeyDetector: Detector = {
  types: ['private_key'],
  find({ value: text }, report) {
    let start = text.indexOf(begin);
    while (start >= 0) {
      const next = text.indexOf(begin, start + begin.length);
      header.lastIndex = start + begin.length;
      if (header.test(text)) {
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
