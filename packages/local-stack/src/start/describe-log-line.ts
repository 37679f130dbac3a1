import { parseJson } from '@agp/core/json';

const shownLevels = new Set(['warn', 'error', 'fatal']);
const plumbing = new Set(['level', 'time', 'service', 'pid', 'msg']);

/**
 * Turns a line that a service wrote into what the terminal shows of it: warnings and worse as `service level: message key=value`, lines
 * that are no log entry (a crash's stack) as they are, and null for the rest.
 */
export function describeLogLine(service: string, line: string): string | null {
  const entry = parseEntry(line);
  if (entry === null) return line.trim() === '' ? null : `${service}: ${line}`;
  if (!shownLevels.has(String(entry.level))) return null;
  const details = Object.entries(entry)
    .filter(([key]) => !plumbing.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [`${service} ${entry.level}: ${entry.msg ?? ''}`, ...details].join(' ');
}

/** Why a service gives up, in one line, if that is what a line that it wrote says; else null. */
export function readFatalReason(line: string): string | null {
  const entry = parseEntry(line);
  if (entry?.level !== 'fatal') return null;
  return String(entry.error ?? entry.msg).replaceAll('\n', '; ');
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseJson(line);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
