import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Exchange } from '../exchange.ts';
import type { Provider } from '../settings/provider.ts';

/** What changes the bytes of an answer on their way; `end` throws if they cannot be changed. */
export interface AnswerFilter {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

const firstOf = (values: string | string[] | undefined) =>
  String(values ?? '')
    .split(',', 1)[0]
    ?.trim() ?? '';

/** Forwarding headers are believed from anybody: the answer goes back to who sent them. */
function readOrigin({ headers, socket }: IncomingMessage): string {
  const told = firstOf(headers['x-forwarded-proto']).toLowerCase();
  const scheme = /^https?$/.test(told) ? told : (socket as TLSSocket).encrypted ? 'https' : 'http';
  const hosts = [firstOf(headers['x-forwarded-host']), headers.host ?? ''];
  const host = hosts.find((each) => /^[\w.~-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(each));
  return `${scheme}://${host ?? `localhost:${socket.localPort}`}`;
}

/** The address that the caller used for the provider's root. */
export function readCallersBase({ request, target }: Pick<Exchange, 'request' | 'target'>): string {
  const segments = target.split('?', 1)[0]?.split('/') ?? [];
  return readOrigin(request) + segments.slice(0, segments[1] === 'agents' ? 4 : 2).join('/');
}

/** In headers of answers; clients follow them with the credentials that they showed the proxy. */
export const linkHeaders = ['location', 'content-location', 'operation-location', 'azure-asyncoperation'] as const;

/** Leads to the proxy what leads to the provider's own address; any other value stays. */
export function rewriteLinkHeader({ baseUrl, basePath }: Provider, base: string, value: string): string {
  const url = URL.parse(value);
  if (url?.origin !== baseUrl.origin || !`${url.pathname}/`.startsWith(`${basePath}/`)) return value;
  return base + url.pathname.slice(basePath.length) + url.search + url.hash;
}

/** A longer text is no link. */
const linkLength = 2_048;

/** A slash, plain or as some serializers escape it. */
const slash = String.raw`\\?\/`;
const origin = String.raw`"https?:(?:${slash}){2}[^"\\/\s]{1,255}(?:${slash}[^"\\/\s]{1,64}){0,6}?`;

/** A text that may yet become a link. */
const mayBecomeLink = /^"(?:h(?:t(?:t(?:p[^"]*)?)?)?)?$/;

/** Puts `base` in place of whatever stands before `paths` in links of JSON; every other byte stays. */
export class LinkRewriter implements AnswerFilter {
  readonly #pattern: RegExp;
  readonly #base: string;
  #held = '';

  constructor(paths: readonly RegExp[], base: string) {
    const sources = paths.map(({ source }) => source.replaceAll('\\/', slash));
    this.#pattern = new RegExp(`${origin}(?=${sources.join('|')})`, 'g');
    this.#base = `"${base}`;
  }

  push(chunk: Buffer): Buffer {
    const text = this.#held + chunk.toString('latin1');
    const quote = text.lastIndexOf('"');
    const holds = quote >= 0 && text.length - quote <= linkLength && mayBecomeLink.test(text.slice(quote));
    const end = holds ? quote : text.length;
    this.#held = text.slice(end);
    return this.#rewrite(text.slice(0, end));
  }

  end(): Buffer {
    return this.#rewrite(this.#held);
  }

  #rewrite(text: string): Buffer {
    return Buffer.from(
      text.replace(this.#pattern, () => this.#base),
      'latin1',
    );
  }
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** A thousand batches have less than one. */
const encodedLength = 4 * 1024 * 1024;
const decodedLength = 16 * 1024 * 1024;

/** For a server that encodes unasked: decodes the answer once it is whole, and goes on as with any other. */
export class EncodedLinkRewriter implements AnswerFilter {
  readonly #rewriter: LinkRewriter;
  readonly #decode: Decode;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @throws Error if nobody can decode it */
  constructor(rewriter: LinkRewriter, encoding: string) {
    const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
    if (decode === undefined) throw new Error(`links in an answer encoded as ${encoding} cannot be read`);
    this.#rewriter = rewriter;
    this.#decode = decode;
  }

  push(chunk: Buffer): Buffer {
    this.#length += chunk.length;
    if (this.#length <= encodedLength) this.#chunks.push(Buffer.from(chunk));
    return Buffer.alloc(0);
  }

  end(): Buffer {
    if (this.#length > encodedLength) throw new Error('an encoded answer with links is too large to read');
    if (this.#length === 0) return Buffer.alloc(0);
    const bytes = this.#decode(Buffer.concat(this.#chunks), { maxOutputLength: decodedLength });
    return Buffer.concat([this.#rewriter.push(bytes), this.#rewriter.end()]);
  }
}
