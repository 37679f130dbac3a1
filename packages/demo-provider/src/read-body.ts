import type { IncomingMessage } from 'node:http';
import { parseJson } from '@agp/core/json';
import type { DemoRequest } from './endpoint.ts';
import { ProviderFault } from './provider-fault.ts';

const maxBytes = 32 * 1024 * 1024;
/** A body that takes longer ends its connection. */
const maxMs = 120_000;

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const timer = setTimeout(() => request.destroy(), maxMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // A body that is too large is read to its end, without being kept, so that the caller sees the answer.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  if (size > maxBytes) throw new ProviderFault('request_too_large', 'The request is larger than 32 MiB.');
  return Buffer.concat(chunks);
}

/**
 * Reads the body of a POST: a form, or JSON.
 *
 * @throws ProviderFault if it is too large or neither
 */
export async function readBody(request: IncomingMessage): Promise<Pick<DemoRequest, 'body' | 'form'>> {
  const type = request.headers['content-type'] ?? '';
  const isForm = /^multipart\/form-data\b/i.test(type);
  if (request.method !== 'POST') return { body: undefined, form: null };
  const bytes = await readBytes(request);
  try {
    if (!isForm) return { body: parseJson(bytes), form: null };
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
    return { body: undefined, form };
  } catch {
    throw new ProviderFault(
      'invalid_request',
      `The body of the request is not valid ${isForm ? 'multipart' : 'JSON'}.`,
    );
  }
}
