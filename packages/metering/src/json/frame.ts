import { asObject, type JsonObject, tryParse } from './members.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ascii = /^[\x00-\x7f]*$/;

/** One message of a stream: an SSE frame, a line, or an element of an array. It is split off once, and parsed at most once. */
export class Frame {
  readonly event: string;
  /** Each byte as one character (latin1), so that only what is read is decoded. */
  readonly data: string;
  #value: unknown;

  constructor(event: string, data: string) {
    this.event = event;
    this.data = data;
  }

  text(): string {
    return ascii.test(this.data) ? this.data : Buffer.from(this.data, 'latin1').toString('utf8');
  }

  /** Null if its data is no JSON. */
  value(): unknown {
    if (this.#value === undefined) this.#value = tryParse(this.text()) ?? null;
    return this.#value;
  }

  /** Without members if its data is no object. */
  object(): JsonObject {
    return asObject(this.value());
  }
}
