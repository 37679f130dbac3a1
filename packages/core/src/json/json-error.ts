export type JsonErrorCode = 'too_deep' | 'not_json';

const messages: Record<JsonErrorCode, string> = { too_deep: 'nests too deep', not_json: 'is not JSON' };

/** A text that was not parsed. The message quotes none of it: it may hold secrets and be of any length. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;
  /** Where a text stops being JSON, `line 3 column 5`, if the parser says it; for files of operators. */
  readonly at: string | null;

  constructor(code: JsonErrorCode, at: string | null = null) {
    super(messages[code]);
    this.code = code;
    this.at = at;
  }
}
