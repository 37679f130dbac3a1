import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { parseRequest } from './parse-request.ts';

/** How a caller wants to be answered, for a try. */
const directiveFields = z.object({
  /** An error with this status instead of the answer. */
  'x-demo-status': z.coerce.number().int().min(400).max(599).optional(),
  /** The time before the first byte, in milliseconds. */
  'x-demo-delay-ms': z.coerce.number().int().min(0).max(120_000).default(0),
  /** How long a stream takes, in seconds; its text is as long. */
  'x-demo-stream-seconds': z.coerce.number().min(0).max(600).default(0),
  /** The answer breaks off half way: its connection ends, or, in a stream, an error comes. */
  'x-demo-break': z.enum(['cut', 'error']).optional(),
});

export type Directives = z.infer<typeof directiveFields>;

/** In a prompt, for programs that cannot set headers. */
const inText = /\b(x-demo-(?:status|delay-ms|stream-seconds|break)): ?(\w{1,10})/gi;

/**
 * Reads the `X-Demo-...` headers of a request, or the same words in the text that it asks to answer, which come first.
 *
 * @throws ProviderFault naming the one that is wrong
 */
export function readDirectives(headers: IncomingHttpHeaders, question = ''): Directives {
  const found = question.slice(0, 10_000).matchAll(inText);
  const said = Object.fromEntries(Array.from(found, ([, name = '', value]) => [name.toLowerCase(), value]));
  return parseRequest(directiveFields, { ...headers, ...said });
}
