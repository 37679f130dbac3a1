import { awsFrame } from '@agp/demo-provider/wire';
import type { CorpusAnswer, CorpusRequest } from './exchange.ts';

/** A body, as it goes over the wire. */
export interface Written {
  contentType: string;
  bytes: Buffer;
}

/** A form of text fields with a file behind them, as browsers and SDKs write one. */
export function writeForm(
  fields: Readonly<Record<string, string>>,
  file?: { name: string; filename: string; type: string; content: Buffer },
): Written {
  const boundary = '----corpus7MA4YWxkTrZu0gW';
  const head = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`);
  const ofFile = file
    ? [`${head(file.name)}; filename="${file.filename}"\r\nContent-Type: ${file.type}\r\n\r\n`, file.content, '\r\n']
    : [];
  const parts = [...texts, ...ofFile, `--${boundary}--\r\n`];
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat(parts.map((part) => Buffer.from(part))),
  };
}

const json = 'application/json';

/** The body of a request; null if it has none. */
export function writeRequest({ body, text, form, headers }: CorpusRequest): Written | null {
  if (form) {
    const { file } = form;
    return writeForm(form.fields, file && { ...file, content: Buffer.alloc(file.size, file.content) });
  }
  const bytes = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return bytes === undefined ? null : { contentType: headers?.['content-type'] ?? json, bytes: Buffer.from(bytes) };
}

type Frame = NonNullable<CorpusAnswer['frames']>[number];

function writeFrame(frame: Frame): string {
  if (typeof frame === 'string') return frame;
  const { event, data, ...rest } = frame;
  const isNamed = typeof event === 'string' && data !== undefined && Object.keys(rest).length === 0;
  return isNamed ? `event: ${event}\ndata: ${JSON.stringify(data)}\n\n` : `data: ${JSON.stringify(frame)}\n\n`;
}

const writeElement = (frame: Frame, index: number): string => {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  return index === 0 ? `[${text}` : `,\r\n${text}`;
};

const writeLine = (line: Frame): string => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);

function writeEvent({ event, data }: NonNullable<CorpusAnswer['events']>[number]): Buffer {
  if (event !== 'chunk') return awsFrame(event, data, event.endsWith('Exception') ? 'exception' : 'event');
  return awsFrame(event, { bytes: Buffer.from(JSON.stringify(data)).toString('base64'), p: 'abcdef' });
}

/** The pieces of an answer that mean something alone: the messages of a stream, or all of it. @param isAsked for its usage */
export function writePieces(answer: CorpusAnswer, isAsked = true): Buffer[] {
  const { body, text, frames, array, events, lines, bytes, unasked } = answer;
  if (bytes !== undefined) return [Buffer.alloc(bytes, 0xff)];
  if (events !== undefined) return events.map(writeEvent);
  const stream = isAsked ? frames : (unasked ?? frames);
  const pieces = stream?.map(writeFrame) ??
    (array && [...array.map(writeElement), ']']) ??
    lines?.map(writeLine) ?? [text ?? (body === undefined ? '' : JSON.stringify(body))];
  return pieces.map((piece) => Buffer.from(piece));
}

/** The kind of body that an answer has. */
export function typeOf({ type, frames, events, lines }: CorpusAnswer): string {
  if (type !== undefined) return type;
  if (events) return 'application/vnd.amazon.eventstream';
  return frames ? 'text/event-stream; charset=utf-8' : lines ? 'application/x-jsonl' : json;
}

/** An answer as its provider sends it. @param isAsked for its usage */
export function writeAnswer(answer: CorpusAnswer, isAsked = true): Written {
  return { contentType: typeOf(answer), bytes: Buffer.concat(writePieces(answer, isAsked)) };
}
