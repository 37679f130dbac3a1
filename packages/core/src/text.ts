/**
 * Characters that a terminal does not show as they are: controls, separators of lines, direction changes, those without width or like a
 * space, lone surrogates, unassigned ones, and marks stacked on marks.
 */
const hidden = String.raw`\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|(?<=\p{M}\p{M})\p{M}`;

/** A quick look: most texts have none. */
const plain = /^[\x20-\x7e]*$/;

const everyHidden = new RegExp(hidden, 'gu');

function replaceHidden(text: string, write: (character: string) => string): string {
  return plain.test(text) ? text : text.replace(everyHidden, write);
}

const count = new Intl.NumberFormat('en');

const byNumber = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/**
 * Any text for one line of a terminal or a log: invisible characters are shown by number, as `\u{1b}`, so that no text controls a terminal
 * or starts a new line. Of more than `max` UTF-16 units the rest is counted.
 */
export function toLineText(text: string, max = 1_000): string {
  if (text.length <= max) return replaceHidden(text, byNumber);
  return `${replaceHidden(text.slice(0, max), byNumber)}... (${count.format(text.length - max)} more)`;
}

/** The same for a text of several lines; parts that somebody else chose must have passed {@link toLineText} before. */
export function toLinesText(text: string, max = 10_000): string {
  const lines = text.slice(0, max).split('\n');
  return lines.map((line) => toLineText(line, max)).join('\n') + (text.length > max ? '...' : '');
}

function escapeUnits(character: string): string {
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return ' ';
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** The same JSON with invisible characters escaped, as `\u001b`: JSON itself requires that of C0 controls only. */
export function escapeJson(json: string): string {
  return replaceHidden(json, escapeUnits);
}

/** The URL once for each server: `nats://user:password@one:5432,two:5432` names two. It splits only; what it gives may be no URL. */
export function splitServerUrl(text: string): string[] {
  const [, before, hosts, after] = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (hosts === undefined) return [text];
  return hosts.split(',').map((host) => `${before}${host.trim()}${after}`);
}

/** The start and the end of a long id or hash: enough to tell two apart. */
export function shortenId(id: string, ends = 6): string {
  const prefix = /^(?:[a-z]{3}_|sha256:)/.exec(id)?.[0] ?? '';
  const rest = id.slice(prefix.length);
  return rest.length <= 2 * ends + 1 ? id : `${prefix}${rest.slice(0, ends)}…${rest.slice(-ends)}`;
}

/** A secret of Standard Webhooks: 24 to 64 bytes. */
export const webhookSecret = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
