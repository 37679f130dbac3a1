import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorBodySchema } from '@agp/core/contracts';
import type { ErrorCode } from '@agp/core/errors';
import { parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
import type { z } from 'zod';
import { ApiFailure, CliError, UsageError } from './cli-error.ts';

/** Where the management API is, without a slash at the end, and the key to it. */
interface Connection {
  url: string;
  key: string;
}

export interface ConnectionOptions {
  url?: string | undefined;
  keyFile?: string | undefined;
}

/** Characters that a header may contain; for others fetch throws an error that quotes the key. */
const keyPattern = /^[\x21-\x7e]+$/;

/** An address without a slash at the end. @param source who is told that it is none */
export function readUrl(text: string, source: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${source} must be a URL such as http://127.0.0.1:8081`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError(`${source} must be an address only, without a user, a query or a fragment`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function readKeyFile(file: string, source: string, environment: NodeJS.ProcessEnv): string {
  // npm runs scripts in the project's folder, but the user means a path relative to the current one.
  const path = resolve(environment.INIT_CWD || '.', file);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new CliError(`${source}: cannot read ${path}`);
  }
}

interface FoundKey {
  key: string;
  source: string;
}

/** A key from a variable, or from the file that the variable with `_FILE` behind its name has; null without both. */
function findSecret(name: string, environment: NodeJS.ProcessEnv): FoundKey | null {
  const { [name]: key, [`${name}_FILE`]: file } = environment;
  if (key) return { key, source: name };
  return file ? { key: readKeyFile(file, `${name}_FILE`, environment), source: `${name}_FILE` } : null;
}

function checkKey({ key, source }: FoundKey): string {
  if (!keyPattern.test(key)) throw new UsageError(`${source} must hold one key, without spaces or line breaks`);
  return key;
}

/** The key that a file has, which `--file` named, or else a variable or its `_FILE`. */
export function readSecret(name: string, environment: NodeJS.ProcessEnv, file?: string): string {
  const found =
    file === undefined
      ? findSecret(name, environment)
      : { key: readKeyFile(file, '--file', environment), source: '--file' };
  if (found === null)
    throw new CliError(
      `No ${name.endsWith('TOKEN') ? 'token' : 'key'}: set ${name}, or ${name}_FILE to a file that holds one.`,
    );
  return checkKey(found);
}

function findKey({ keyFile }: ConnectionOptions, environment: NodeJS.ProcessEnv): FoundKey | null {
  if (keyFile === undefined) return findSecret('AGP_API_KEY', environment);
  return { key: readKeyFile(keyFile, '--key-file', environment), source: '--key-file' };
}

/**
 * Decides which deployment a command works on: `--url`, else `AGP_URL`, else the local stack that `AGP_LOCAL_URL` names, which alone gets
 * the local key.
 */
export function readConnection(options: ConnectionOptions, environment: NodeJS.ProcessEnv): Connection {
  const given = options.url ?? (environment.AGP_URL || undefined);
  const address = given ?? environment.AGP_LOCAL_URL;
  if (address === undefined) {
    throw new CliError(
      'No deployment is named: start one here with "npm start"; if one runs already, set AGP_DATA_DIR as it was set there, or AGP_URL and AGP_API_KEY.',
    );
  }
  const url = readUrl(address, options.url === undefined ? 'AGP_URL' : '--url');
  const local = given === undefined ? environment.AGP_LOCAL_API_KEY : undefined;
  const found = findKey(options, environment) ?? (local ? { key: local, source: 'the local key' } : null);
  if (found === null) {
    throw new CliError(`No API key for ${url}: set AGP_API_KEY, or name a file that holds one with --key-file.`);
  }
  return { url, key: checkKey(found) };
}

/** Reads JSON by its contract. */
export function parseAnswer<Data>(text: string, schema: z.ZodType<Data>, call: string): Data {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw new CliError(`${call} did not answer in JSON: is it the address of the management API?`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the answer';
  throw new CliError(`${call}: ${where} is not what this version expects; use the one that the service has.`);
}

/** Advice for errors of the API, by their code. */
const hints: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'set AGP_API_KEY, or name a file that holds a key with --key-file',
  agent_not_found: '"agents list" shows all agents',
  event_not_found: '"events list" shows the events, and "why" finds one by its request id',
  session_not_found: '"sessions list" shows the sessions',
  key_not_found: '"keys list" shows all keys',
  agent_token_not_found: '"tokens list" shows all tokens',
  missing_scope: 'use a key that has it, which "keys create" makes',
  installation_only: 'use a key of the whole installation: one without --match',
  identity_not_found: '"identities list" shows all issuers',
  alert_not_found: '"alerts" shows those that are open',
  delivery_not_found: '"alerts deliveries" shows them',
  claimed_name_not_found: '"names list" shows all claimed names',
};

function findHint(status: number, code: string | null): string {
  const known = code !== null && Object.hasOwn(hints, code) ? hints[code as ErrorCode] : undefined;
  if (known !== undefined) return `; ${known}`;
  return status === 429 || status >= 500 ? '; try again in a moment' : '';
}

function readError(text: string): string | null {
  try {
    return errorBodySchema.safeParse(parseJson(text)).data?.error ?? null;
  } catch {
    return null;
  }
}

/** Turns an error answer into a message for the user. */
async function readFailure(response: Response, call: string): Promise<ApiFailure> {
  const { status, headers } = response;
  const error = readError(await response.text().catch(() => ''));
  const message =
    error === null
      ? `${call} answered ${status}, without an error of this API: is it the address of the management API?`
      : toLineText(error) + findHint(status, headers.get('x-error-code'));
  const retryAfter = headers.get('retry-after');
  return new ApiFailure(message, status, retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null);
}

/** A success, parsed and as the JSON text that was received. */
export interface ApiAnswer<Data> {
  data: Data;
  text: string;
  /** Path of the next page, from the `Link` header; null on the last. */
  next: string | null;
  /** Since when events are kept, if what was asked for begins before. */
  keptSince: string | null;
  /** When the server answered by its own clock, in milliseconds since 1970. */
  answeredAt: number;
}

/** Parameters by the API's names; those without a value are left out. */
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A client of the management API. What is changed by its `version` is refused if somebody changed it meanwhile. */
export interface Api {
  /** Without a slash at the end. */
  readonly url: string;
  get<Data>(path: string, schema: z.ZodType<Data>, query?: Query): Promise<ApiAnswer<Data>>;
  /** @param body as JSON, but text as YAML */
  send<Data>(
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
    schema: z.ZodType<Data>,
    query?: Query,
    version?: number,
  ): Promise<ApiAnswer<Data>>;
  delete(path: string, query?: Query, version?: number): Promise<void>;
  /** Opens an answer that is read as it comes; resolves when its headers have arrived. */
  open(path: string, accept: string, signal?: AbortSignal): Promise<Response>;
}

/** Path of the next page of a list, from the `Link` header; null on the last. */
export function readNext({ headers }: Response): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
}

const ifMatch = (version?: number): Record<string, string> =>
  version === undefined ? {} : { 'if-match': `"${version}"` };

/** How long an answer may take in all, in milliseconds. */
const timeoutMs = 120_000;

/** Connects to a management API. Redirects are not followed, so that the key is sent nowhere else. */
export function connectApi({ url, key }: Connection): Api {
  async function request(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...init.headers };
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiFailure(`Nothing answers on ${url}: start it with "npm start", or set AGP_URL.`, null);
    });
    if (!response.ok) throw await readFailure(response, `${init.method ?? 'GET'} ${url}${path}`);
    return response;
  }

  async function read(path: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(path, { ...init, signal });
      return { response, text: await response.text() };
    } catch (error) {
      if (error instanceof ApiFailure) throw error;
      const what = signal.aborted ? `took longer than ${timeoutMs / 1_000} seconds` : 'broke off';
      throw new ApiFailure(`The answer of ${url}${path} ${what}; try again in a moment.`, null);
    }
  }

  async function exchange<Data>(path: string, init: RequestInit, schema: z.ZodType<Data>): Promise<ApiAnswer<Data>> {
    const { response, text } = await read(path, init);
    return {
      data: parseAnswer(text, schema, `${init.method ?? 'GET'} ${url}${path}`),
      text,
      next: readNext(response),
      keptSince: response.headers.get('x-kept-since'),
      answeredAt: Date.parse(response.headers.get('date') ?? '') || Date.now(),
    };
  }

  return {
    url,
    get: (path, schema, query) => exchange(writeQuery(path, query), {}, schema),
    send: (method, path, body, schema, query, version) => {
      const isYaml = typeof body === 'string';
      const headers = { 'content-type': `application/${isYaml ? 'yaml' : 'json'}`, ...ifMatch(version) };
      const text = isYaml ? body : JSON.stringify(body);
      return exchange(writeQuery(path, query), { method, headers, body: text }, schema);
    },
    async delete(path, query, version) {
      await read(writeQuery(path, query), { method: 'DELETE', headers: ifMatch(version) });
    },
    open: (path, accept, signal) => request(path, { headers: { accept }, ...(signal && { signal }) }),
  };
}

/** All entries of a list, page by page. */
export async function readPages<Row>(api: Api, path: string, schema: z.ZodType<Row[]>, query?: Query): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = writeQuery(path, query); next !== null; ) {
    const page: ApiAnswer<Row[]> = await api.get(next, schema);
    rows.push(...page.data);
    next = page.next;
  }
  return rows;
}

/** A path with the parameters that have a value. */
export function writeQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${search}`;
}
