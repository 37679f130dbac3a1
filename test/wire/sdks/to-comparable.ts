/** Headers that the proxy adds, and those of a connection. What a web page may read is not for a provider to say either. */
const uncompared = [
  'x-agent-id',
  'x-session-id',
  'x-event-id',
  'x-agp-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
];

/** Whether a header or field is an id that the proxy made, for an answer whose provider sends none. */
export const isMadeRequestId = (name: string, value: unknown): boolean =>
  /request[-_]?id$/i.test(name) && /^req_[0-9a-z]{26}$/.test(String(value));

type Fields = Record<string, unknown>;

function toHeaders(headers: object): Fields {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const isCompared = (name: string) => !uncompared.includes(name) && !name.startsWith('access-control-');
  const compared = pairs.filter(([name, value]) => isCompared(name.toLowerCase()) && !isMadeRequestId(name, value));
  return Object.fromEntries(compared);
}

/** Of what a connection's end says only this is the same each time; the rest are ports and counts of bytes. */
function toConnectionError({ name, message, code }: Error & { code?: unknown }): Fields {
  return { name, message, code };
}

const isConnectionError = (value: Error) => 'socket' in value || 'syscall' in value;

/**
 * What a client handed to its caller, an answer or an error, as plain data: with the classes' names, without what the
 * proxy adds on purpose, and with one name for both base URLs.
 */
export function toComparable(value: unknown, baseUrl: string, above: readonly unknown[] = []): unknown {
  if (typeof value === 'string')
    return value.replaceAll(baseUrl, '{base}').replaceAll(new URL(baseUrl).origin, '{base}');
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return 'a cycle';
  const convert = (part: unknown) => toComparable(part, baseUrl, [...above, value]);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Headers) return toHeaders(value);
  if (value instanceof AbortSignal) return { '#class': 'AbortSignal', aborted: value.aborted };
  if (Array.isArray(value)) return value.map(convert);
  const named = value.constructor === Object || !value.constructor ? {} : { '#class': value.constructor.name };
  const ofError = value instanceof Error ? { message: convert(value.message), cause: convert(value.cause) } : {};
  if (value instanceof Error && isConnectionError(value)) return { ...named, ...toConnectionError(value) };
  const fields = Object.entries(value)
    .filter(([name]) => name !== 'stack')
    .map(([name, part]) => [
      name,
      isMadeRequestId(name, part)
        ? null
        : /headers$/i.test(name) && typeof part === 'object' && part !== null
          ? convert(toHeaders(part))
          : convert(part),
    ]);
  return { ...named, ...ofError, ...Object.fromEntries(fields) };
}
