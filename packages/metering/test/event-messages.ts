import { readFileSync } from 'node:fs';

const open = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));

/** As AWS' own packages compute them: an event of Converse, an exception, and an event of Claude's in base64. */
export const messages: readonly Buffer[] = open('event-stream-messages.txt')
  .toString()
  .trim()
  .split('\n')
  .map((line) => Buffer.from(line, 'hex'));

/** A recorded answer of ConverseStream. */
export const recorded: Buffer = open('converse-stream.bin');
