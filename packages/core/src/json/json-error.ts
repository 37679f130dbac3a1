export type JsonErrorCode = 'too_deep' | 'not_json';

const messages: Record<JsonErrorCode, string> = { too_deep: 'nests too deep', not_json: 'is not JSON' };

/** A text that was not parsed. The message quotes none of it: it may hold secrets and be of any length. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;

  constructor(code: JsonErrorCode) {
    super(messages[code]);
    this.code = code;
  }
}
