/** Why a text is not parsed: it nests deeper than it may, or is not JSON. */
export type JsonErrorCode = 'too_deep' | 'not_json';

const messages: Record<JsonErrorCode, string> = { too_deep: 'nests too deep', not_json: 'is not JSON' };

/** A text from outside that is not parsed. Says why and quotes nothing of it, for it may hold secrets and be of any length. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;

  constructor(code: JsonErrorCode) {
    super(messages[code]);
    this.code = code;
  }
}
