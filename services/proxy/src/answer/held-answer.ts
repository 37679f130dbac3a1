import type { IncomingHttpHeaders } from 'node:http';
import { type AnswerGate, openAnswerGate } from '@agp/metering';
import type { PolicyDenied } from '@agp/policy';
import type { AdmittedRequest } from '../journey.ts';
import { type AnswerJudge, openJudge } from '../policy/judge-answer.ts';

/**
 * Holds back what policies may yet deny of an answer: of a stream the frame that comes, of any other all of it, with its head. Without such
 * a policy all passes.
 */
export class HeldAnswer {
  readonly #request: AdmittedRequest;
  readonly #judge: AnswerJudge | null;
  #gate: AnswerGate | null = null;
  #writeHead: (() => void) | null = null;

  constructor(request: AdmittedRequest) {
    this.#request = request;
    this.#judge = openJudge(request);
  }

  /** The provider must not compress what is to be read. */
  get isJudged(): boolean {
    return this.#judge !== null;
  }

  /** Not even its head is out. */
  get isUnbegun(): boolean {
    return this.#writeHead !== null;
  }

  /** Why it must end here; null if it may go on. */
  get denied(): PolicyDenied | null {
    return this.#judge?.denied ?? null;
  }

  /** Writes its head, or keeps it back. An error of the provider passes; what cannot be read may be denied. */
  begin(status: number, headers: IncomingHttpHeaders, writeHead: () => void): void {
    const { operation } = this.#request.head;
    const judge = this.#judge;
    if (judge !== null && operation !== null && status < 400)
      this.#gate = openAnswerGate(operation, headers, (names) => judge.allows(names));
    this.#writeHead = writeHead;
    if (this.#gate !== null && !isPlain(headers) && judge?.allows(null)) this.#gate = null;
    if (this.denied === null && !this.#gate?.isWhole) this.#letBegin();
  }

  /** What may go on of it; see `denied`. */
  push(chunk: Buffer): Buffer {
    return this.#gate === null ? chunk : this.#pass(this.#gate.push(chunk));
  }

  /** The rest that may go on of it; see `denied`. */
  end(): Buffer | null {
    const rest = this.#gate?.end() ?? null;
    if (this.denied === null) this.#letBegin();
    return rest;
  }

  release(): void {
    this.#gate?.release();
  }

  #pass(bytes: Buffer): Buffer {
    if (bytes.length > 0) this.#letBegin();
    return bytes;
  }

  #letBegin(): void {
    this.#writeHead?.();
    this.#writeHead = null;
  }
}

/** Bytes of an encoding that was not asked for can be neither read nor changed. */
export function isPlain({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return ['', 'identity'].includes(encoding.toLowerCase());
}

export function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.toLowerCase().startsWith('text/event-stream') ?? false;
}
