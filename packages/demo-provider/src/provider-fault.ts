/** A refusal by the simulated provider. Each API has its own error body for it. */
export class ProviderFault extends Error {
  readonly code: 'invalid_request' | 'not_found' | 'request_too_large';
  readonly status: number;
  /** The request's field at fault, if it is one field. */
  readonly param: string | null;

  constructor(code: ProviderFault['code'], message: string, param: string | null = null) {
    super(message);
    this.name = 'ProviderFault';
    this.code = code;
    this.status = { invalid_request: 400, not_found: 404, request_too_large: 413 }[code];
    this.param = param;
  }
}
