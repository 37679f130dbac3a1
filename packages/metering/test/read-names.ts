import type { CallHead } from '../src/call-head.ts';
import { inspectBody } from '../src/request/inspect-body.ts';
import { makeHead } from './open-metering.ts';

export type Sent = Partial<{ contentType: string; contentEncoding: string; decoded: Buffer; query: string }> &
  Partial<Pick<CallHead, 'method' | 'provider'>>;

/** What rules read of a POST, each tool as its kind and its names. @param body JSON if it is no text and no bytes */
export function readNames(id: string, path: string, body: unknown, sent: Sent = {}) {
  const names = readAll(id, path, body, sent);
  const tools = names?.tools?.map((tool) => `${tool.kind} ${tool.names.join()}`) ?? null;
  return { models: names?.models ?? null, tools };
}

/** With what was unread. */
export function readAll(id: string, path: string, body: unknown, sent: Sent = {}) {
  const { contentType = 'application/json', contentEncoding = '', decoded = null, query = '', ...given } = sent;
  const head = makeHead(id, path, { query, ...given });
  if (!head.operation) throw new Error(`no operation at ${path} of ${id}`);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const caps = { mustTell: false, mustBound: false, mustName: true };
  return inspectBody(head.operation, head, bytes, { contentType, contentEncoding, decoded }, caps).names;
}
