const statuses = { invalid_request: 400, not_found: 404, request_too_large: 413 };

/** A refusal by the simulated provider. Each API has its own error body for it. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly code = 'provider_fault';
  readonly status: number;
  /** The request's field at fault, if it is one field. */
  readonly param: string | null;

  constructor(kind: keyof typeof statuses | number, message: string, param: string | null = null) {
    super(message);
    this.status = typeof kind === 'number' ? kind : statuses[kind];
    this.param = param;
  }
}
