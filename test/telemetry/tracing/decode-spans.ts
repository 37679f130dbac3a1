/** A span as it was sent. Times are in milliseconds since 1970, ids in hex; a root has an empty `parentSpanId`. */
export interface SentSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: 'server' | 'client' | 'internal';
  start: number;
  end: number;
  attributes: Record<string, unknown>;
  events: { name: string; time: number }[];
  failed: boolean;
}

/** A message of Protocol Buffers: what each field number holds, in order. */
type Message = Map<number, (bigint | Buffer)[]>;

function readVarint(bytes: Buffer, at: number): { value: bigint; next: number } {
  let value = 0n;
  for (let next = at, shift = 0n; ; next += 1, shift += 7n) {
    const byte = bytes[next] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, next: next + 1 };
  }
}

/** protobuf.dev/programming-guides/encoding; fixed-width fields are kept as bytes. */
function readMessage(bytes: Buffer): Message {
  const message: Message = new Map();
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const [field, wire] = [Number(tag.value >> 3n), Number(tag.value & 7n)];
    let value: bigint | Buffer;
    if (wire === 0) ({ value, next: at } = readVarint(bytes, tag.next));
    else {
      const length = wire === 2 ? readVarint(bytes, tag.next) : { value: wire === 1 ? 8n : 4n, next: tag.next };
      at = length.next + Number(length.value);
      value = bytes.subarray(length.next, at);
    }
    message.set(field, [...(message.get(field) ?? []), value]);
  }
  return message;
}

const buffers = (message: Message, field: number) => (message.get(field) ?? []) as Buffer[];
const messages = (message: Message, field: number) => buffers(message, field).map(readMessage);
const text = (message: Message, field: number) => buffers(message, field)[0]?.toString() ?? '';
const hex = (message: Message, field: number) => buffers(message, field)[0]?.toString('hex') ?? '';
const time = (message: Message, field: number) => Number(buffers(message, field)[0]?.readBigUInt64LE() ?? 0n) / 1e6;

function readValue(value: Message): unknown {
  for (const [field, [held]] of value) {
    if (field === 1) return (held as Buffer).toString();
    if (field === 2) return held === 1n;
    if (field === 3) return Number(BigInt.asIntN(64, held as bigint));
    if (field === 4) return (held as Buffer).readDoubleLE();
  }
  return undefined;
}

const readAttributes = (pairs: Message[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map((pair) => [text(pair, 1), readValue(messages(pair, 2)[0] ?? new Map())]));

/** The spans of an `ExportTraceServiceRequest` (github.com/open-telemetry/opentelemetry-proto, trace.proto). */
export function decodeSpans(body: Buffer): SentSpan[] {
  return messages(readMessage(body), 1).flatMap((ofResource) => {
    const resource = readAttributes(messages(messages(ofResource, 1)[0] ?? new Map(), 1));
    return messages(ofResource, 2)
      .flatMap((ofScope) => messages(ofScope, 2))
      .map((span) => ({
        service: String(resource['service.name']),
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: ({ 2: 'server', 3: 'client' } as const)[Number(span.get(6)?.[0])] ?? 'internal',
        start: time(span, 7),
        end: time(span, 8),
        attributes: readAttributes(messages(span, 9)),
        events: messages(span, 11).map((event) => ({ name: text(event, 2), time: time(event, 1) })),
        failed: messages(span, 15)[0]?.get(3)?.[0] === 2n,
      }));
  });
}
