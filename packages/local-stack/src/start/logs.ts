import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';

const shownLevels = new Set(['warn', 'error', 'fatal']);
/** Shown of a line, in UTF-16 units: a stack trace has a few thousand. */
const maxLine = 8_000;
/** A value with these might be taken for further fields. */
const ambiguous = /[\s"=]/;
const plumbing = new Set(['level', 'time', 'service', 'pid', 'msg']);

/**
 * Formats a service's log line for the terminal: warnings and worse as `service level: message key=value`, lines that are no log entry
 * (a crash's stack) with the service's name, null for the rest. A line stays one line and cannot forge a field.
 */
export function describeLogLine(service: string, line: string): string | null {
  const entry = parseEntry(line);
  if (entry === null) return line.trim() === '' ? null : toLineText(`${service}: ${line}`, maxLine);
  if (!shownLevels.has(String(entry.level))) return null;
  const details = Object.entries(entry)
    .filter(([key]) => !plumbing.has(key))
    .map(
      ([key, value]) => `${key}=${typeof value === 'string' && !ambiguous.test(value) ? value : JSON.stringify(value)}`,
    );
  return toLineText([`${service} ${entry.level}: ${entry.msg ?? ''}`, ...details].join(' '), maxLine);
}

/** The reason in a service's last, fatal log line; null for any other line. */
export function readFatalReason(line: string): string | null {
  const entry = parseEntry(line);
  if (entry?.level !== 'fatal') return null;
  return toLineText(String(entry.error ?? entry.msg).replaceAll('\n', '; '), maxLine);
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(line);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

const maxBytes = 10 * 1024 * 1024;

/** Appends lines to a file. At 10 MiB it is renamed to `<file>.1`, over the previous one. */
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
