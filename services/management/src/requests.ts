import { ApiError, type ErrorCode } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { fromPublicId, type IdPrefix, toPublicId } from '@agp/core/ids';
import { JsonError, parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import { type Db, readUnrecorded } from '@agp/db';
import { piiTypes } from '@agp/pii/types';
import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { maxBodyBytes } from './limits.ts';

export function found<Value>(value: Value | null | undefined, error: ErrorCode): Value {
  if (value === null || value === undefined) throw new ApiError(error);
  return value;
}

export interface Parameter {
  description: string;
  example: string;
  /** Answered if nothing has this name; absent if the route answers with an empty list then. */
  error?: ErrorCode | undefined;
  read(text: string): string | null;
}

const publicId = (prefix: IdPrefix, description: string, example: string, error: ErrorCode): Parameter => ({
  description,
  example: `${prefix}_${example}`,
  error,
  read: (text) => fromPublicId(prefix, text),
});

export const agentId = publicId('agt', 'Agent id', '01k9r3v8w5f2q8m6t4n0x7y1za', 'agent_not_found');
export const eventId = publicId('evt', 'Event id', '01k9r3v8w5f2q8m6t4n0x7y1zb', 'event_not_found');
export const keyId = publicId('key', 'Key id', '01k9r3v8w5f2q8m6t4n0x7y1zd', 'key_not_found');
export const consoleSessionId = publicId(
  'con',
  'Console session id',
  '01k9r3v8w5f2q8m6t4n0x7y1zf',
  'console_session_not_found',
);
export const agentTokenId = publicId('tok', 'Agent token id', '01k9r3v8w5f2q8m6t4n0x7y1ze', 'agent_token_not_found');
export const policyId = publicId('pol', 'Policy id', '01k9r3v8w5f2q8m6t4n0x7y1zg', 'policy_not_found');
export const budgetId = publicId('bud', 'Budget id', '01k9r3v8w5f2q8m6t4n0x7y1zj', 'budget_not_found');
export const identityId = publicId('idp', 'Identity id', '01k9r3v8w5f2q8m6t4n0x7y1zq', 'identity_not_found');
export const ruleId = publicId('nru', 'Rule id', '01k9r3v8w5f2q8m6t4n0x7y1zk', 'rule_not_found');
export const targetId = publicId('ntg', 'Target id', '01k9r3v8w5f2q8m6t4n0x7y1zm', 'target_not_found');
export const alertId = publicId('alr', 'Alert id', '01k9r3v8w5f2q8m6t4n0x7y1zn', 'alert_not_found');
export const deliveryId = publicId('dlv', 'Delivery id', '01k9r3v8w5f2q8m6t4n0x7y1zp', 'delivery_not_found');
export const viewId = publicId('viw', 'View id', '01k9r3v8w5f2q8m6t4n0x7y1zh', 'view_not_found');
export const sessionId: Parameter = {
  description: 'Session id',
  example: 'ses_01k9r3v8w5f2q8m6t4n0x7y1zc',
  error: 'session_not_found',
  read: (text) => (sessionIdPattern.test(text) ? text : null),
};

/** Reads when something ends; null is never. Throws ApiError for a time in the past. */
export function parseFuture(field: string, text: string | null | undefined): Date | null {
  if (!text) return null;
  const time = new Date(text);
  if (time.getTime() <= Date.now()) throw new ApiError('invalid_parameter', `${field}: must lie in the future`);
  return time;
}

const noParameters = z.object({});

/** Parses a query or a body; `whole` names an issue with the value as a whole. Throws ApiError naming the first field at fault. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
  // A key may be as long as the body and hold anything.
  const name = String(field || whole)
    .slice(0, 64)
    .toWellFormed();
  throw new ApiError('invalid_parameter', `${name}: ${issue && describe(issue)}`);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'unknown field';
  if (issue.code !== 'invalid_value') return issue.message;
  return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
}

/** A few, each cut, without control characters. */
function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => toLineText(name, 64));
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** Every parameter is known, and given once, or ApiError names those at fault. */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  query: Record<string, unknown>,
): z.infer<Schema> {
  const known = Object.keys(schema?.shape ?? {});
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const exist = known.length === 0 ? 'there are none here' : `those that exist: ${known.join(', ')}`;
    const what = unknown.length === 1 ? 'unknown parameter' : 'unknown parameters';
    throw new ApiError('invalid_parameter', `${listNames(unknown)}: ${what}; ${exist}`);
  }
  const repeated = known.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) throw new ApiError('invalid_parameter', `${repeated}: given more than once`);
  return parseInput(schema ?? noParameters, query, 'query') as z.infer<Schema>;
}

/** A UUID that no agent has. */
const nobody = '00000000-0000-0000-0000-000000000000';

export function readAgentFilter(agentId: string | undefined): string | undefined {
  return agentId === undefined ? undefined : (fromPublicId('agt', agentId) ?? nobody);
}

/** A misspelt kind of personal data would find nothing, which reads as if there were none. */
export function readPiiType(type: string | undefined): string | undefined {
  if (type === undefined || Object.hasOwn(piiTypes, type)) return type;
  throw new ApiError(
    'invalid_parameter',
    'pii_type: must be one kind that is searched for, such as email; docs/pii.md lists them',
  );
}

export function readQuery(text: string | null | undefined): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text ?? '')) {
    const before = query[name];
    if (Array.isArray(before)) before.push(value);
    else query[name] = before === undefined ? value : [before, value];
  }
  return query;
}

/**
 * Answers for an event that is not recorded: if an agent was given its id, it says what is known. Throws ApiError `event_not_recorded` or
 * `event_not_found`.
 */
export async function refuseUnrecorded(db: Db, eventId: string): Promise<never> {
  const request = await readUnrecorded(db, eventId);
  if (request === undefined) throw new ApiError('event_not_found');
  const what = request.reason === 'set_aside' ? 'event set aside' : 'event lost';
  const path = `/api/v1/costs/unrecorded/${toPublicId('evt', eventId)}`;
  throw new ApiError('event_not_recorded', `${what}: ${path} has what is known of its request`);
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

const unread = 'unsupported charset or content encoding';

function isInUtf8(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

function toBodyError(error: { status?: number }): unknown {
  if (error.status === 413) return new ApiError('body_too_large');
  if (error.status === 415) return new ApiError('unsupported_media_type', unread);
  if (error.status === 400) return new ApiError('invalid_parameter', 'body: not valid JSON');
  return error;
}

function parseBody(bytes: Buffer, isText: boolean): unknown {
  if (bytes.length === 0) return {};
  let text: string;
  try {
    // Else invalid bytes would be stored as replacement characters.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError('invalid_parameter', 'body: not valid UTF-8');
  }
  if (isText) return text;
  try {
    return parseJson(text);
  } catch (error) {
    const isTooDeep = error instanceof JsonError && error.code === 'too_deep';
    throw new ApiError('invalid_parameter', isTooDeep ? 'body: nests too deep' : 'body: not valid JSON');
  }
}

/** Into `request.body`; undefined without a body. @param others types of bodies that are text */
export function readJsonBodyUpTo(limit: number, ...others: string[]): RequestHandler {
  const type = ['application/json', ...others];
  // Not `express.json`, which uses the runtime's own parser.
  const readBytes = express.raw({ limit, type });
  return (request, response, next) => {
    // `is` gives null without a body; an empty one has no type either.
    if (request.headers['content-length'] !== '0' && request.is(type) === false)
      throw new ApiError('unsupported_media_type');
    if (!isInUtf8(request)) throw new ApiError('unsupported_media_type', unread);
    readBytes(request, response, (error?: unknown) => {
      if (error !== undefined) return next(toBodyError(error as { status?: number }));
      try {
        if (Buffer.isBuffer(request.body))
          request.body = parseBody(request.body, request.is('application/json') === false);
        next();
      } catch (fault) {
        next(fault);
      }
    });
  };
}

export const readJsonBody = readJsonBodyUpTo(maxBodyBytes.api);
export const readJsonOrYaml = readJsonBodyUpTo(maxBodyBytes.api, 'application/yaml');
