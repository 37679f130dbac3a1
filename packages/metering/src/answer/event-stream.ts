import { crc32 } from 'node:zlib';
import type { ToldRefusal } from '../dialects/operation.ts';
import { Frame } from '../json/frame.ts';
import { asObject, hasMoreValues, tryParse } from '../json/members.ts';
import { scanMembers, skipSpace } from '../json/scan.ts';
import type { Splitter } from './frames.ts';
import { maxFrameValues } from './reading.ts';

/*
 * AWS' event stream: messages of a length, the length of headers, a check sum of these two, headers, a payload, and a check sum of all;
 * big-endian (https://smithy.io/2.0/aws/amazon-eventstream.html).
 */

/** Its content type. */
export const eventStreamType = 'application/vnd.amazon.eventstream';

const [preludeLength, sumLength] = [12, 4];
const shortest = preludeLength + sumLength;
const longest = 16 * 1024 * 1024;
const longestHeaders = 128 * 1024;

interface Message {
  headers: ReadonlyMap<string, string>;
  /** As they were sent. */
  headerBytes: Buffer;
  payload: Buffer;
}

/** The length of the message that begins so; null if no message does. @param prelude its first 12 bytes */
function readLength(prelude: Buffer): number | null {
  const [length, headers] = [prelude.readUInt32BE(0), prelude.readUInt32BE(4)];
  const isSound = length >= shortest && length <= longest && headers <= Math.min(length - shortest, longestHeaders);
  return isSound && crc32(prelude.subarray(0, 8)) === prelude.readUInt32BE(8) ? length : null;
}

/** Bytes of a header's value by its type; null for those that begin with their length. */
const lengths: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const stringType = 7;

/** Null if they are none, or a name is there twice: some readers take the first, some the last. */
function readHeaders(bytes: Buffer): Map<string, string> | null {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + (bytes[at] as number);
    const type = bytes[nameEnd];
    const fixed = type === undefined ? undefined : lengths[type];
    if (fixed === undefined || (fixed === null && nameEnd + 3 > bytes.length)) return null;
    const start = nameEnd + (fixed === null ? 3 : 1);
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    const name = bytes.toString('utf8', at + 1, nameEnd);
    if (end > bytes.length || headers.has(name)) return null;
    const value = type === stringType ? bytes.toString('utf8', start, end) : '';
    headers.set(name, value);
    at = end;
  }
  return headers;
}

/** Reads one whole message; null for bytes that are none. */
export function readMessage(bytes: Buffer): Message | null {
  if (bytes.length < shortest || readLength(bytes.subarray(0, preludeLength)) !== bytes.length) return null;
  const end = bytes.length - sumLength;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return null;
  const headerEnd = preludeLength + bytes.readUInt32BE(4);
  const headerBytes = bytes.subarray(preludeLength, headerEnd);
  const headers = readHeaders(headerBytes);
  return headers && { headers, headerBytes, payload: bytes.subarray(headerEnd, end) };
}

export function writeMessage(headerBytes: Buffer, payload: Buffer): Buffer {
  const bytes = Buffer.alloc(shortest + headerBytes.length + payload.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headerBytes.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  headerBytes.copy(bytes, preludeLength);
  payload.copy(bytes, preludeLength + headerBytes.length);
  const end = bytes.length - sumLength;
  bytes.writeUInt32BE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

function writeHeader(name: string, value: string): Buffer {
  const bytes = Buffer.from(`\0${name}\0\0\0${value}`);
  bytes[0] = name.length;
  bytes[1 + name.length] = stringType;
  bytes.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
  return bytes;
}

/** A message that SDKs of AWS raise as an exception of that name. */
export function writeException(name: string, message: string): Buffer {
  const headers = [
    writeHeader(':exception-type', name),
    writeHeader(':content-type', 'application/json'),
    writeHeader(':message-type', 'exception'),
  ];
  return writeMessage(Buffer.concat(headers), Buffer.from(JSON.stringify({ message })));
}

/** What a stream may end with, by the status that an answer would have. */
const lastNames: Readonly<Record<number, string>> = {
  429: 'throttlingException',
  503: 'serviceUnavailableException',
};

/** The end of an event stream, which SDKs raise with its message. */
export function formatException({ message, status }: ToldRefusal): Buffer {
  const name = lastNames[status] ?? (status < 500 ? 'validationException' : 'modelStreamErrorException');
  return writeException(name, message);
}

/** The event in which Invoke streams what the vendor's own API would. */
const chunk = 'chunk';

interface Chunk {
  inner: Buffer;
  /** Where its Base64 stands in the payload, with its quotes. */
  start: number;
  end: number;
}

/** Null for a payload without, or whose Base64 agents may read in another way. */
function findChunk(payload: Buffer): Chunk | null {
  const members = scanMembers(payload, skipSpace(payload, 0))?.members.filter(({ key }) => key === 'bytes') ?? [];
  const [place, second] = members;
  if (place === undefined || second !== undefined) return null;
  const written = tryParse(payload.subarray(place.start, place.end));
  const inner = Buffer.from(typeof written === 'string' ? written : '', 'base64');
  return inner.toString('base64') === written ? { inner, start: place.start, end: place.end } : null;
}

/** A message without payload, whose text stands in a header. */
const errorKind = 'error';

/** Finds messages by their lengths. One that is none is the last: where another begins is not known then, so each piece is one that is none. */
export class EventSplitter implements Splitter {
  /** The beginning of a message whose length has not come whole. */
  #begun = '';
  #left = 0;
  #isBroken = false;

  /** Whether what was pushed ends with a whole message, or is nothing. */
  get isAtBorder(): boolean {
    return !this.#isBroken && this.#left === 0 && this.#begun === '';
  }

  push(text: string, onPiece: Parameters<Splitter['push']>[1]): void {
    let start = 0;
    while (start < text.length) {
      let at = start;
      if (this.#left === 0 && !this.#isBroken) {
        const more = text.slice(at, at + preludeLength - this.#begun.length);
        this.#begun += more;
        at += more.length;
        if (this.#begun.length === preludeLength) this.#open();
      }
      if (this.#isBroken || this.#left === 0) {
        onPiece(start, text.length, this.#isBroken ? 'end' : 'part');
        return;
      }
      const end = Math.min(text.length, at + this.#left);
      this.#left -= end - at;
      onPiece(start, end, this.#left === 0 ? 'end' : 'part');
      start = end;
    }
  }

  #open(): void {
    const length = readLength(Buffer.from(this.#begun, 'latin1'));
    this.#begun = '';
    if (length === null) this.#isBroken = true;
    else this.#left = length - preludeLength;
  }

  read(text: string): Frame | undefined {
    const message = this.#isBroken ? null : readMessage(Buffer.from(text, 'latin1'));
    if (message === null) return undefined;
    const frame = this.#toFrame(message);
    return frame !== undefined && hasMoreValues(frame.data, maxFrameValues) ? undefined : frame;
  }

  #toFrame({ headers, payload }: Message): Frame | undefined {
    const kind = headers.get(':message-type');
    if (kind === errorKind) {
      const told = { message: headers.get(':error-message'), payload: payload.toString() || undefined };
      return new Frame(errorKind, Buffer.from(JSON.stringify(told)).toString('latin1'));
    }
    const event = headers.get(`:${kind}-type`) ?? '';
    if (kind !== 'event')
      return kind === undefined ? undefined : new Frame(event || errorKind, payload.toString('latin1'));
    if (event !== chunk) return new Frame(event, payload.toString('latin1'));
    const found = findChunk(payload);
    return found === null ? undefined : new Frame('', found.inner.toString('latin1'));
  }

  rewrite(raw: Buffer, data: Buffer): Buffer {
    const message = readMessage(raw);
    if (message === null) return raw;
    const { headers, headerBytes, payload } = message;
    if (headers.get(':message-type') === errorKind)
      return writeException(headers.get(':error-code') ?? errorKind, String(asObject(tryParse(data)).message));
    const found = headers.get(':event-type') === chunk ? findChunk(payload) : null;
    if (found === null) return writeMessage(headerBytes, data);
    const written = Buffer.from(`"${data.toString('base64')}"`);
    return writeMessage(
      headerBytes,
      Buffer.concat([payload.subarray(0, found.start), written, payload.subarray(found.end)]),
    );
  }
}

/** Which letters, from the first one on, pad a message so that its length tells nothing of a text. */
const padding = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Whether a member of a message's payload is its padding. */
export const isPadding = (key: string, value: string): boolean => key === 'p' && padding.startsWith(value);
