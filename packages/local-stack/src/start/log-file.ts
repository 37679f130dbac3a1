import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

const maxBytes = 10 * 1024 * 1024;

/** Appends lines to a file. At 10 MiB it is set aside as `<file>.1`, in place of the one set aside before. */
export function openLogFile(file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  let written = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let stream: WriteStream | null = null;
  return (line) => {
    if (written > maxBytes) {
      stream?.end();
      stream = null;
      renameSync(file, `${file}.1`);
      written = 0;
    }
    stream ??= createWriteStream(file, { flags: 'a', mode: 0o600 });
    stream.write(`${line}\n`);
    written += Buffer.byteLength(line) + 1;
  };
}
