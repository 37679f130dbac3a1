import type { ErrorCode } from '@agp/core/errors';
import { sessionIdPattern } from '@agp/core/events';
import { fromPublicId, type IdPrefix } from '@agp/core/ids';

/** A parameter of a path: what the document says of it, and how its text is read. */
export interface Parameter {
  description: string;
  example: string;
  /** Answered where nothing has this name; absent where the route answers with an empty list then. */
  error?: ErrorCode | undefined;
  /** @returns null for a text that names nothing */
  read(text: string): string | null;
}

/** Handlers get the UUID behind a public id. */
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
export const sessionId: Parameter = {
  description: 'Session id',
  example: 'ses_01k9r3v8w5f2q8m6t4n0x7y1zc',
  error: 'session_not_found',
  read: (text) => (sessionIdPattern.test(text) ? text : null),
};
