import { z } from 'zod';

const json = z.json();

export type Json = z.infer<typeof json>;

const object = z.record(z.string(), json);

/** A file in a form: `size` bytes, of the `content` over and over. */
const formFile = z.strictObject({
  name: z.string(),
  filename: z.string(),
  type: z.string(),
  content: z.string().min(1),
  size: z.int().min(0),
});

const request = z.strictObject({
  /** Its id, as in `/openai/v1/...` of the proxy. */
  provider: z.string(),
  method: z.enum(['GET', 'POST', 'PATCH']).optional(),
  /** Behind the provider's address, with the query. `{id}` stands for something that no other call has. */
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  /** As JSON, as the text that it is, or as a form of text fields and a file; none for most GETs. */
  body: json.optional(),
  text: z.string().optional(),
  form: z.strictObject({ fields: z.record(z.string(), z.string()), file: formFile.optional() }).optional(),
});

/**
 * A message of a stream: its exact text, or the data that follows `data: `. With `event` and `data` alone it has a name too. Of a
 * stream that is an array it is an element.
 */
const frame = z.union([z.string(), object]);

const answer = z.strictObject({
  status: z.int().default(200),
  /** Its content type, if it is another than that of JSON, of a stream of events or of lines of JSON. */
  type: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** One of these: JSON, a text, a stream, the same as an array or in AWS' frames, lines of JSON, or so many bytes of sound. */
  body: json.optional(),
  text: z.string().optional(),
  frames: z.array(frame).optional(),
  array: z.array(frame).optional(),
  /** Messages of AWS' event stream: each an event with its data, an exception, or what `chunk` holds in Base64. */
  events: z.array(z.strictObject({ event: z.string(), data: object })).optional(),
  lines: z.array(frame).optional(),
  bytes: z.int().optional(),
  /** What the provider sends, and the agent gets, if nobody asks for the usage of the stream. */
  unasked: z.array(frame).optional(),
});

/** Figures by the names of pricing's `Usage`; those that are 0 are left out. */
const usage = z.record(z.string(), z.number().positive());

/** Tools as their kind and names, such as `client send_mail`. Lists that are left out are empty. */
const expected = z.strictObject({
  model: z.string().nullable().optional(),
  /** Whose figures these are. */
  source: z.enum(['provider', 'estimated', 'none']),
  usage: usage.default({}),
  /** If there are several calls with a price of their own each. */
  calls: z.array(z.strictObject({ model: z.string(), usage })).optional(),
  /** The cost by today's price list, in nano-dollars. */
  nanoUsd: z.int().min(0),
  /** What the price was chosen by beside the list: `batch at half`, `charged by openrouter`. */
  price: z.string().optional(),
  called: z.array(z.string()).default([]),
  pii: z.array(z.string()).default([]),
  scan: z.enum(['full', 'partial', 'none']).default('full'),
  /** Figures that no reader understood. */
  unread: z.array(z.string()).default([]),
  /** Units and models that have no price. */
  unpriced: z.array(z.string()).default([]),
  doubt: z.string().optional(),
  outcome: z.enum(['completed', 'aborted', 'failed']).default('completed'),
});

/** What a request names, for policies; null if that cannot be read. */
const names = z.strictObject({
  models: z.array(z.string()).nullable().optional(),
  offered: z.array(z.string()).nullable().optional(),
});

const exchange = z.strictObject({
  /** What it shows. */
  why: z.string(),
  /** What it asks for otherwise than the file's request, and members of its body beside those. */
  request: request.partial().optional(),
  asks: object.optional(),
  answer: answer.optional(),
  /** The connection breaks after the answer's bytes (`cut`), or the agent leaves (`left`). */
  ends: z.enum(['whole', 'cut', 'left']).default('whole'),
  /** The agent has a cap, under which what is unknown costs at least what was reserved. */
  isCapped: z.boolean().default(false),
  names: names.optional(),
  expected: expected.optional(),
});

/** Exchanges of one operation that share a request. */
export const corpusFileSchema = z.strictObject({ title: z.string(), request, exchanges: z.array(exchange).min(1) });

export type CorpusFile = z.infer<typeof corpusFileSchema>;
export type CorpusRequest = z.infer<typeof request> & { method: 'GET' | 'POST' | 'PATCH' };
export type CorpusAnswer = z.infer<typeof answer>;
export type Expected = z.infer<typeof expected>;

/** An exchange with all that its file says of it. */
export interface Exchange extends Omit<z.infer<typeof exchange>, 'asks' | 'request'> {
  /** `openai/chat.completions/conversation.json: cached input` */
  name: string;
  dialect: string;
  operation: string;
  file: string;
  request: CorpusRequest;
}
