import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const maxBytes = 10 * 1024 * 1024;

/**
 * Appends lines to a file. At 10 MiB it is renamed to `<file>.1`, over the previous one. Lines that cannot be written, for example on
 * a full disk, are lost, and the stack runs on.
 */
export function openLogFile(file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  let written = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let stream: WriteStream | null = null;
  const open = () => {
    const opened = createWriteStream(file, { flags: 'a', mode: 0o600 });
    // The next line tries again.
    opened.on('error', () => {
      if (stream === opened) stream = null;
    });
    return opened;
  };
  return (line) => {
    if (written > maxBytes) {
      stream?.end();
      stream = null;
      written = 0;
      try {
        renameSync(file, `${file}.1`);
      } catch {} // somebody removed it, or it has to grow further
    }
    stream ??= open();
    stream.write(`${line}\n`);
    written += Buffer.byteLength(line) + 1;
  };
}
