import type { z } from 'zod';
import { ProviderFault } from './provider-fault.ts';

/**
 * Checks the members that an endpoint reads, and ignores all others.
 *
 * @throws ProviderFault naming the first field that is missing or of the wrong type
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path.join('.') || null;
  throw new ProviderFault('invalid_request', `${param ?? 'body'}: ${issue?.message ?? 'invalid'}`, param);
}
