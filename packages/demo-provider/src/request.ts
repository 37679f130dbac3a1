import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';

const statuses = { invalid_request: 400, not_found: 404, request_too_large: 413 };

/** A refusal by the simulated provider. Each API has its own error body for it. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly code = 'provider_fault';
  readonly status: number;
  /** The request's field at fault, if it is one field. */
  readonly param: string | null;

  constructor(kind: keyof typeof statuses | number, message: string, param: string | null = null) {
    super(message);
    this.status = typeof kind === 'number' ? kind : statuses[kind];
    this.param = param;
  }
}

/** Checks the members that an endpoint reads, and ignores all others. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path.join('.') || null;
  throw new ProviderFault('invalid_request', `${param ?? 'body'}: ${issue?.message ?? 'invalid'}`, param);
}

/** A part of a message; those of Gemini have no type. */
const part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });

/** The content of a message: a string, or a list of parts. */
export const contentField = z.union([z.string(), z.array(part)]);

export type Content = z.infer<typeof contentField> | null | undefined;

/** A message of OpenAI's and Anthropic's APIs. Tool calls come without content. */
export const messageField = z.looseObject({ role: z.string(), content: contentField.nullish() });

/** Whole numbers above 0. */
export const countField = z.number().int().min(1);

/** The text of a content: its text parts, joined by spaces. */
export function textOf(content: Content): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((each) => (each.text === undefined ? [] : [each.text])).join(' ');
}

const attached = /^(?:input_)?(?:image|image_url|file|audio|document|container_upload)$/;

/** How many images, files and sounds a content has. */
export function countAttachments(content: Content): number {
  if (!Array.isArray(content)) return 0;
  return content.filter((each) => attached.test(each.type ?? '') || each.inlineData || each.fileData).length;
}

/** How a caller wants to be answered, for a try. */
const directiveFields = z.object({
  /** An error with this status instead of the answer. */
  'x-demo-status': z.coerce.number().int().min(400).max(599).optional(),
  /** The time before the first byte, in milliseconds. */
  'x-demo-delay-ms': z.coerce.number().int().min(0).max(120_000).default(0),
  /** Seconds that a stream takes; its text is made long enough for them. */
  'x-demo-stream-seconds': z.coerce.number().min(0).max(600).default(0),
  /** The answer breaks off half way: its connection ends, or, in a stream, an error comes. */
  'x-demo-break': z.enum(['cut', 'error']).optional(),
});

export type Directives = z.infer<typeof directiveFields>;

/** In a prompt, for programs that cannot set headers. */
const inText = /\b(x-demo-(?:status|delay-ms|stream-seconds|break)): ?(\w{1,10})/gi;

/** Reads the `X-Demo-...` headers of a request; the same words in its question come first. */
export function readDirectives(headers: IncomingHttpHeaders, question = ''): Directives {
  const found = question.slice(0, 10_000).matchAll(inText);
  const said = Object.fromEntries(Array.from(found, ([, name = '', value]) => [name.toLowerCase(), value]));
  return parseRequest(directiveFields, { ...headers, ...said });
}
