import { parseJson } from '@agp/core/json';
import { CliError } from './cli-error.ts';

const timeoutMs = 60_000;
const maxChunks = 1_000;

/** Which part of the way fails: the name, the encryption, or the connection. */
function nameFault({ host, hostname }: URL, error: Error): string {
  const { code = '', message } = (error.cause ?? error) as { code?: string; message: string };
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return `DNS: nobody knows the name ${hostname} (${code})`;
  if (/WRONG_VERSION|PACKET_LENGTH/.test(code)) return `TLS: ${host} speaks none: begin with http://`;
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|HOSTNAME_|EPROTO)/.test(code))
    return `TLS: ${host} is not trusted here (${code}): NODE_EXTRA_CA_CERTS names authorities`;
  return `connect: nothing answers on ${host} (${code || message}): is it the proxy's port, with or without TLS?`;
}

export interface ProxyAnswer {
  status: number;
  headers: Headers;
  /** Undefined if it is none. */
  json: unknown;
}

/** Asks a proxy, and reads no more of its answer than a few MB. @throws CliError that names the part of the way which fails */
export async function askProxy(url: string, init: RequestInit): Promise<ProxyAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { status, headers, body } = await fetch(url, { ...init, redirect: 'manual', signal });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) if (chunks.push(chunk) === maxChunks) break;
    return { status, headers, json: tryParse(Buffer.concat(chunks).toString()) };
  } catch (error) {
    throw new CliError(nameFault(new URL(url), error as Error));
  }
}

/** What a text says in JSON; undefined if it is none. */
export function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
